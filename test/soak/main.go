// Command soak has three parts, which take a third of the time each.
//
// The part load puts a server under a mixed load for a while, over a pipe, TCP and HTTP, in both eras of MCP: callers whose answers are checked,
// while other clients vanish, send invalid messages, cancel, do not answer questions, and do not read. It fails when an answer is wrong,
// or when goroutines, sessions, files or memory are not back, after the load, where they were before.
//
// The part pairs checks whose answer every answer is, in random combinations of transports, caches, reconnect, rates, middleware, batches, callbacks,
// questions, tasks, cancellation, the gateway and replicas, see package pairs. It fails when a caller gets an answer, a question or a log message of another
// one, a second answer or none, or when a server keeps more than its limits allow. A failure names the seed and the number of its scenario.
//
// The part secrets looks for credentials in all that leaves two processes with one store of tokens, whose API repeats them, see package secrets.
//
// Run it with the race detector:
//
//	go run -race ./test/soak -time 3m -seed 1
//	go run -race ./test/soak -time 10s -part pairs -seed 1 -scenario 42
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/test/soak/pairs"
	"github.com/rpcgen-go/rpcgen/test/soak/secrets"
)

func main() {
	if served, err := secrets.Serve(); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, "soak:", err)
			os.Exit(1)
		}
		return
	}
	duration := flag.Duration("time", 3*time.Minute, "how long the load lasts")
	seed := flag.Uint64("seed", 1, "of what is random in the load")
	part := flag.String("part", "", "the only part that is run: load, pairs or secrets; all have a third of the time each by default")
	scenario := flag.Int("scenario", 0, "number of the only scenario of pairs that is run")
	flag.Parse()
	if err := parts(*part, *scenario, *duration, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// parts runs one part, or all after each other.
func parts(part string, scenario int, duration time.Duration, seed uint64) error {
	load := func(d time.Duration) error { return run(d, seed) }
	answers := func(d time.Duration) error {
		return pairs.Run(pairs.Options{Time: d, Seed: seed, Scenario: scenario, Out: os.Stdout})
	}
	credentials := func(d time.Duration) error { return secrets.Run(d, seed, os.Stdout) }
	switch part {
	case "secrets":
		return credentials(duration)
	case "load":
		return load(duration)
	case "pairs":
		return answers(duration)
	case "":
		return errors.Join(load(duration/3), answers(duration/3), credentials(duration/3))
	}
	return fmt.Errorf("there is no part %q, only load, pairs and secrets", part)
}

// run serves, loads and measures. A first, short load has everything made that is made once.
func run(duration time.Duration, seed uint64) error {
	const warm = 5 * time.Second
	s, err := serve()
	if err != nil {
		return err
	}
	var t tally
	load(s, &t, warm, seed)
	before := s.settle(usage{}) // whatever that is
	begin := time.Now()
	load(s, &t, duration, seed+1)
	after := s.settle(before)
	fmt.Printf("%s in %s\nbefore %s\nafter  %s\n", t.String(), time.Since(begin).Round(time.Second), before, after)
	if err := s.close(); err != nil {
		return err
	}
	if n := t.wrong.Load(); n > 0 {
		return fmt.Errorf("%d wrong answers", n)
	}
	if n := s.faults.n.Load(); n > 0 {
		return fmt.Errorf("%d errors are logged of what clients did", n)
	}
	if t.right.Load() < 100 || t.attacks.Load() < 100 {
		return fmt.Errorf("there was hardly a load: %s", &t)
	}
	return after.within(before)
}

// load has all clients at work for a while.
func load(s *servers, t *tally, d time.Duration, seed uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var all sync.WaitGroup
	begin := func(work func(ctx context.Context, w *worker), many int) {
		for range many {
			seed++
			w := &worker{t, rand.New(rand.NewPCG(seed, 0))}
			all.Go(func() {
				for ctx.Err() == nil {
					work(ctx, w)
				}
			})
		}
	}
	for _, way := range s.ways() {
		begin(func(ctx context.Context, w *worker) { w.visit(ctx, way) }, 2)
	}
	begin(func(_ context.Context, w *worker) {
		w.attack(s.tcp, 20, func(message string) string { return message + "\n" }, w.endTCP)
	}, 3)
	begin(func(_ context.Context, w *worker) { w.attack(s.web, 10, w.request, w.endHTTP) }, 3)
	all.Wait()
}
