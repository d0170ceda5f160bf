// Measure runs the work of package work on every contestant and writes docs/performance.md and test/bench/figures.md. It is run in test/bench:
//
//	go run ./cmd/compact go run ./cmd/measure -out ../../docs
//
// Without -out it prints both.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

func main() {
	log.SetFlags(0)
	s := settings{}
	flag.IntVar(&s.rounds, "rounds", 15, "how often every contestant is measured")
	flag.DurationVar(&s.slice, "slice", 15*time.Millisecond, "for how long, each time")
	out := flag.String("out", "", "folder for performance.md and performance.svg; all figures go to figures.md in the current folder; if empty, "+
		"everything is printed")
	only := flag.String("only", "", "only works whose name contains this, printed in short")
	asJSON := flag.Bool("json", false, "print what was measured of dispatching and of codecs as JSON")
	repeats := flag.Int("repeats", 2, "how often the large service is built")
	large := flag.Int("methods", 0, "build a server with so many methods with the compact codec, and measure nothing else")
	flag.Parse()
	if *large > 0 {
		if err := buildLarge(*large); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := errors.Join(same(), sameTools(), sameCalls()); err != nil {
		log.Fatalf("the answers differ, so nothing is measured:\n%v", err)
	}
	switch {
	case *asJSON:
		if err := json.NewEncoder(os.Stdout).Encode(append(dispatches(s, *only), codecs(s, *only)...)); err != nil {
			log.Fatal(err)
		}
	case *only != "":
		rows := slices.Concat(dispatches(s, *only), codecs(s, *only), trips(s, *only), tools(s, *only), served(s, *only), timeouts(s, *only))
		networked := transports(s, *only)
		for _, r := range append(rows, networked...) {
			fmt.Println(r.table())
		}
		if len(networked) == len(transportCallers) {
			fmt.Print(render(func(b *strings.Builder) { transportTable(b, &networked[0], &networked[1]) }))
			for _, g := range (&measured{Rows: networked}).transportGoals() {
				fmt.Printf("%s, %s: %s\n", g.Work, g.Goal, g.reached())
			}
		}
		if strings.Contains("delays at half load", *only) {
			d := measureDelays(s.rounds, callSlice)
			fmt.Println(render(d.write))
		}
		if strings.Contains("typescript", *only) {
			m, err := measureScripts()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(render(m.write))
		}
		if strings.Contains("single calls", *only) {
			singles := measureSingles(s.rounds, callSlice)
			fmt.Println(render(singles.write))
		}
	default:
		if err := measureAll(s, *out, *repeats); err != nil {
			log.Fatal(err)
		}
	}
}

// render returns what a function writes.
func render(write func(b *strings.Builder)) string {
	var b strings.Builder
	write(&b)
	return b.String()
}

// same returns in which answers the contestants differ.
func same() error {
	all := peer.Dispatchers()
	defer stopAll(all)
	return errors.Join(ir.Each(work.Messages(), func(m work.Message) error { return peer.SameAnswers(context.Background(), all, &m) })...)
}

// sameCalls returns which clients get another result.
func sameCalls() error {
	var errs []error
	for _, c := range append(peer.Callers(), peer.Transports()...) {
		errs = append(errs, peer.SameCall(context.Background(), &c))
		c.Close()
	}
	return errors.Join(errs...)
}

// measured is all that the pages are made of.
type measured struct {
	Settings  settings
	Took      time.Duration
	Idle      []idle
	Rows      []row
	Delays    delays
	Singles   singleCalls
	Scripts   scripts
	JSONv2    []row // of the same program, built with GOEXPERIMENT=jsonv2
	Processes *processes
}

func measureAll(s settings, out string, repeats int) error {
	if peer.CompactParams == nil {
		return errors.New("the pages also compare the compact codec: make bench, or go run ./cmd/compact go run ./cmd/measure")
	}
	start := time.Now()
	m := &measured{Settings: s, Idle: []idle{measureIdle(0), measureIdle(3)}}
	var err error
	if m.Processes, err = measureProcesses(repeats); err != nil {
		return err
	}
	m.Rows = slices.Concat(dispatches(s, ""), codecs(s, ""), trips(s, ""), tools(s, ""), served(s, ""), transports(s, ""), timeouts(s, ""), growth(s))
	m.Delays = measureDelays(s.rounds, callSlice)
	m.Singles = measureSingles(s.rounds, callSlice)
	if m.Scripts, err = measureScripts(); err != nil {
		return err
	}
	if m.JSONv2, err = jsonv2(s); err != nil {
		return err
	}
	m.Took = time.Since(start)
	if out == "" {
		fmt.Print(m.page(), "\n", m.figures())
		return nil
	}
	if err := m.chart(filepath.Join(out, "performance.svg")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "performance.md"), []byte(m.page()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("figures.md", []byte(m.figures()), 0o644)
}

// jsonv2 builds this program with the new encoding/json, and has it measure.
func jsonv2(s settings) ([]row, error) {
	say("building with GOEXPERIMENT=jsonv2")
	dir, err := os.MkdirTemp("", "measured")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "measure")
	build := exec.Command("go", "build", "-o", program, "./cmd/measure")
	build.Env = append(os.Environ(), "GOEXPERIMENT="+strings.Trim(os.Getenv("GOEXPERIMENT")+",jsonv2", ","))
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	run := exec.Command(program, "-json", fmt.Sprintf("-rounds=%d", s.rounds), fmt.Sprintf("-slice=%s", s.slice))
	run.Stderr = os.Stderr
	text, err := run.Output()
	if err != nil {
		return nil, err
	}
	var rows []row
	return rows, json.Unmarshal(text, &rows)
}
