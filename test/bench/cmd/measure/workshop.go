package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// workshop is a folder with a module of its own, to generate, build and run programs in.
type workshop struct {
	dir    string
	root   string // of rpcgen's module
	rpcgen string // the command
	cache  string // build cache: nothing else is in it
}

// newWorkshop makes a workshop and builds the command in it.
func newWorkshop() (*workshop, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/rpcgen-go/rpcgen").Output()
	if err != nil {
		return nil, fmt.Errorf("run this in test/bench: %w", err)
	}
	dir, err := os.MkdirTemp("", "measured")
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, root: strings.TrimSpace(string(root)), rpcgen: filepath.Join(dir, "bin", "rpcgen"), cache: filepath.Join(dir, "cache")}
	build := exec.Command("go", "build", "-o", w.rpcgen, "./cmd/rpcgen")
	build.Dir = w.root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return w, w.write("go.mod", "module example.com/measured\n\ngo 1.26.0\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace "+
		"github.com/rpcgen-go/rpcgen => "+w.root+"\n")
}

// close removes the workshop.
func (w *workshop) close() { os.RemoveAll(w.dir) }

// write writes a file, and the folders that it is in.
func (w *workshop) write(name, text string) error {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// took is how long a process took.
type took struct {
	Wall, CPU float64 // seconds
	Peak      float64 // bytes in memory, of the largest process in it
}

// run runs a command in the workshop.
func (w *workshop) run(env []string, name string, args ...string) (took, []byte, error) {
	return w.runWith("", env, name, args...)
}

// runWith runs a command with an input.
func (w *workshop) runWith(input string, env []string, name string, args ...string) (took, []byte, error) {
	c := exec.Command(name, args...)
	c.Stdin = strings.NewReader(input)
	c.Dir = w.dir
	c.Env = append(append(os.Environ(), "GOCACHE="+w.cache, "GOWORK=off", "GOFLAGS="), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	start := time.Now()
	err := c.Run()
	t := took{Wall: time.Since(start).Seconds()}
	if c.ProcessState != nil {
		t.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		t.Peak = peak(c.ProcessState)
	}
	if err != nil {
		return t, nil, fmt.Errorf("%s %s: %w: %.2000s", name, strings.Join(args, " "), err, errs.String())
	}
	return t, append(out.Bytes(), errs.Bytes()...), nil
}

// generate writes a schema and its Go files into a folder.
func (w *workshop) generate(folder, schema string, flags ...string) (took, error) {
	name := filepath.Join(folder, "service.rpc.yaml")
	if err := w.write(name, schema); err != nil {
		return took{}, err
	}
	t, _, err := w.run(nil, w.rpcgen, append([]string{"generate", "--quiet", name}, flags...)...)
	return t, err
}

// program builds the program in a folder, into bin.
func (w *workshop) program(folder string, flags ...string) error {
	_, err := w.build(folder, append([]string{"-o", filepath.Join(w.dir, "bin") + "/"}, flags...)...)
	return err
}

// build builds what is in a folder.
func (w *workshop) build(folder string, flags ...string) (took, error) {
	t, _, err := w.run(nil, "go", append(append([]string{"build"}, flags...), "./"+folder)...)
	return t, err
}

// size returns how many lines and bytes of Go there are in a folder.
func (w *workshop) size(folder string) (lines, size int) {
	names, _ := filepath.Glob(filepath.Join(w.dir, folder, "*.go"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(err)
		lines += bytes.Count(b, []byte("\n"))
		size += len(b)
	}
	return lines, size
}
