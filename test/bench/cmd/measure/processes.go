package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// manyMethods is how many methods the large service has, and fastMethods how many of them are fast in one of its builds.
const (
	manyMethods = 1000
	fastMethods = 10
)

// builds of the large service that goals and the page name.
const (
	bothSides   = "both sides"
	bothWithout = bothSides + ", without encoding/json"
	bothCompact = bothSides + ", compact codec"
)

// processes is what is measured of whole processes.
type processes struct {
	Generate []took
	Builds   []buildOf
	Binaries []binary
	Sonic    bool // the hello-world server links sonic
	Startup  startup
	Lookups  []lookup
}

// buildOf is `go build` of the large service.
type buildOf struct {
	What  string
	Lines int
	Bytes int // of source
	Took  []took
}

type binary struct {
	What            string
	Plain, Stripped int64 // bytes
}

type startup struct {
	Inits        int     // packages of rpcgen, generated ones included, that have work to do before main
	InitTime     float64 // milliseconds of all packages
	EmptyInit    float64 // of the empty program
	Hello, Empty float64 // milliseconds from start to end, with no input
}

func measureProcesses(repeats int) (*processes, error) {
	w, err := newWorkshop()
	if err != nil {
		return nil, err
	}
	defer w.close()
	p := &processes{}
	for _, step := range []func(*workshop, int) error{p.binaries, p.startup, p.routers, p.generate, p.builds} {
		if err := step(w, repeats); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// binaries measures the hello-world server and others. It also fills the build cache with all that they need.
func (p *processes) binaries(w *workshop, _ int) error {
	say("binaries")
	if _, err := w.generate("hello/rpc", program("hello.rpc.yaml")); err != nil {
		return err
	}
	for _, name := range []string{"hello/main.go", "empty/main.go", "plain/main.go"} {
		if err := w.write(name, program(name)); err != nil {
			return err
		}
	}
	for _, b := range []struct{ folder, what string }{
		{"empty", "empty program"}, {"hello", "hello-world server of rpcgen"}, {"plain", "the same by hand on encoding/json"},
	} {
		var size [2]int64
		for i, flags := range [][]string{{"-ldflags=-s -w"}, nil} {
			if err := w.program(b.folder, flags...); err != nil {
				return err
			}
			info, err := os.Stat(filepath.Join(w.dir, "bin", b.folder))
			if err != nil {
				return err
			}
			size[i] = info.Size()
		}
		p.Binaries = append(p.Binaries, binary{b.what, size[1], size[0]})
	}
	_, out, err := w.run(nil, "go", "list", "-deps", "./hello")
	p.Sonic = strings.Contains(string(out), "bytedance/sonic")
	return err
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)

func (p *processes) startup(w *workshop, _ int) error {
	say("startup")
	total := func(name string) (ms float64, own int, err error) {
		_, out, err := w.run([]string{"GODEBUG=inittrace=1"}, filepath.Join(w.dir, "bin", name))
		for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
			t, _ := strconv.ParseFloat(m[2], 64)
			ms += t
			if strings.Contains(m[1], "rpcgen") || strings.Contains(m[1], "measured") {
				own++
			}
		}
		return ms, own, err
	}
	var err error
	if p.Startup.EmptyInit, _, err = total("empty"); err != nil {
		return err
	}
	if p.Startup.InitTime, p.Startup.Inits, err = total("hello"); err != nil {
		return err
	}
	var times [2][]float64
	for range 100 {
		for i, name := range []string{"empty", "hello"} {
			t, _, err := w.run(nil, filepath.Join(w.dir, "bin", name))
			if err != nil {
				return err
			}
			times[i] = append(times[i], t.Wall*1e3)
		}
	}
	p.Startup.Empty, p.Startup.Hello = quantile(times[0], 0.5), quantile(times[1], 0.5)
	return nil
}

func (p *processes) generate(w *workshop, repeats int) error {
	say("generate %d methods", manyMethods)
	for i := range 2*repeats + 1 {
		t, err := w.generate(fmt.Sprintf("generated%d", i), serviceSchema(manyMethods, "", 0))
		if err != nil {
			return err
		}
		p.Generate = append(p.Generate, t)
	}
	return nil
}

// builds builds the large service, each time in a folder where it has never been. All that it imports is built before.
func (p *processes) builds(w *workshop, repeats int) error {
	kinds := []struct {
		what    string
		options string // for Go
		fast    int    // methods with codec: fast
		flags   []string
	}{
		{bothSides, "", 0, nil}, {"server only", "", 0, []string{"--side=server"}}, {"client only", "", 0, []string{"--side=client"}},
		{bothWithout, withoutJSON, 0, nil},
		{bothCompact, compactOptions, 0, nil}, {"server only, compact codec", compactOptions, 0, []string{"--side=server"}},
		{fmt.Sprintf(bothCompact+", %d methods fast", fastMethods), compactOptions, fastMethods, nil},
	}
	all := make([]buildOf, len(kinds))
	for round := range repeats {
		for i, k := range kinds {
			say("go build of %d methods, %s", manyMethods, k.what)
			folder := fmt.Sprintf("build%d%d", i, round)
			if _, err := w.generate(folder, serviceSchema(manyMethods, k.options, k.fast), k.flags...); err != nil {
				return err
			}
			t, err := w.build(folder)
			if err != nil {
				return err
			}
			all[i].What = k.what
			all[i].Lines, all[i].Bytes = w.size(folder)
			all[i].Took = append(all[i].Took, t)
		}
	}
	p.Builds = all
	return nil
}

// buildLarge builds a server with so many methods, with the compact codec: the package, and then the program, which links it.
func buildLarge(methods int) error {
	w, err := newWorkshop()
	if err != nil {
		return err
	}
	defer w.close()
	if err := (&processes{}).binaries(w, 0); err != nil {
		return err
	}
	generated, err := w.generate("large/rpc", serviceSchema(methods, compactOptions, 0))
	if err != nil {
		return err
	}
	if err := w.write("large/main.go", program("large/main.go")); err != nil {
		return err
	}
	compiled, err := w.build("large/rpc")
	if err != nil {
		return err
	}
	linked, err := w.build("large", "-o", filepath.Join(w.dir, "bin")+"/")
	if err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		took took
	}{{"rpcgen generate", generated}, {"go build of the package", compiled}, {"go build of a server with it", linked}} {
		fmt.Printf("%d methods, %s: %.1f s, %.1f s of processor time, %.2f GB\n", methods, step.what, step.took.Wall, step.took.CPU, step.took.Peak/1e9)
	}
	_, answer, err := w.runWith(`{"jsonrpc":"2.0","id":1,"method":"account/list","params":{"city":"x","days":1,"include":[],"detail":false}}`+"\n", nil,
		filepath.Join(w.dir, "bin", "large"))
	fmt.Printf("it answers %s", answer)
	return err
}

// least returns the seconds that processes took at least.
func least(all []took) took {
	best := all[0]
	for _, t := range all {
		best.Wall, best.CPU = min(best.Wall, t.Wall), min(best.CPU, t.CPU)
	}
	return best
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
