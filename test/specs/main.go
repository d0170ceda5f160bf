// Command specs imports specifications that others wrote, generates code, builds and vets it, and compares what came of each with the table in
// docs/import.md; with -write it writes the table. Recorded exchanges of Ethereum nodes are played through the generated client and server.
// It runs in its own folder.
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// out is the folder that everything is made in. Its name keeps it out of ./...
const out = "_out"

func main() {
	log.SetFlags(0)
	write := flag.Bool("write", false, "write the table into docs/import.md")
	flag.Parse()
	if err := run(*write); err != nil {
		log.Fatal(err)
	}
}

func run(write bool) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := command("go", "build", "-o", filepath.Join(out, "rpcgen"), "github.com/rpcgen-go/rpcgen/cmd/rpcgen"); err != nil {
		return err
	}
	if err := command("go", "build", "github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient", "github.com/rpcgen-go/rpcgen/runtime/gen"); err != nil {
		return err
	}
	rows, err := made()
	if err != nil {
		return err
	}
	if err := exchanges(rows); err != nil {
		return err
	}
	return table(rows, write)
}

// made makes all specifications, two at once, after their files were fetched.
func made() ([]row, error) {
	all, err := specs()
	if err != nil {
		return nil, err
	}
	rows, faults := make([]row, len(all)), make([]error, len(all))
	for i, s := range all {
		source, err := s.fetch()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Title, err)
		}
		rows[i] = row{spec: s, source: source}
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for i := range next {
				if err := rows[i].make(); err != nil {
					faults[i] = fmt.Errorf("%s: %w", all[i].Title, err)
				}
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	group.Wait()
	return rows, errors.Join(faults...)
}

// row is what became of a specification.
type row struct {
	spec
	source                     []string // the arguments of the import that name it
	report                     report
	lines                      int
	imported, generated, built time.Duration
}

// report is what the command reports of an import.
type report struct {
	Types         int `json:"types"`
	Methods       int `json:"methods"`
	Notifications int `json:"notifications"`
	Errors        int `json:"errors"`
	Tools         int `json:"tools"`
	Counts        struct {
		Checked  int `json:"checked"`
		Opaque   int `json:"opaque"`
		Weakened int `json:"weakened"`
		Ignored  int `json:"ignored"`
	} `json:"counts"`
	Generated *struct {
		Unchecked string `json:"unchecked"`
	} `json:"generated"`
}

// dir is the folder of the package of a specification.
func (s spec) dir() string { return filepath.Join(out, s.Name) }

// make imports, generates, builds and vets.
func (r *row) make() error {
	schema := filepath.Join(r.dir(), r.Name+".rpc.yaml")
	text, err := r.importTo(schema)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	if err := json.Unmarshal([]byte(text), &r.report); err != nil {
		return err
	}
	if g := r.report.Generated; g == nil || g.Unchecked != "" {
		return errors.New("the import does not say that the code type-checks")
	}
	if r.generated, err = timed(filepath.Join(out, "rpcgen"), "generate", "-q", schema); err != nil {
		return err
	}
	if err := r.touch(); err != nil {
		return err
	}
	if r.built, err = timed("go", "build", "./"+r.dir()); err != nil {
		return err
	}
	if err := command("go", "vet", "./"+r.dir()); err != nil {
		return err
	}
	r.lines, err = linesOf(r.dir())
	return err
}

// touch adds a file that no package had before, so that the package is built and not found in the build cache.
func (s spec) touch() error {
	text := fmt.Sprintf("package %s\n\n// Made at %d.\n", s.Name, time.Now().UnixNano())
	return os.WriteFile(filepath.Join(s.dir(), "made.go"), []byte(text), 0o644)
}

// fetch puts the files of the specification into its folder, and returns the arguments that name them.
func (s spec) fetch() ([]string, error) {
	if err := os.MkdirAll(s.dir(), 0o755); err != nil {
		return nil, err
	}
	if len(s.Files) > 0 {
		file, err := s.published.fetch(s.dir())
		return []string{file}, err
	}
	var args []string
	for _, name := range append([]string{s.Name}, s.Tables...) {
		file := filepath.Join(s.dir(), name+".json")
		if err := unzip("testdata/"+name+".json.gz", file); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	for path, name := range s.Others {
		file := filepath.Join(s.dir(), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := unzip("testdata/"+name+".json.gz", file); err != nil {
			return nil, err
		}
		args = append(args, "--root", s.dir())
	}
	return args, nil
}

// importTo imports the source, and returns the report or what is wrong.
func (r *row) importTo(schema string) (string, error) {
	args := append([]string{"import", "--report", "json", "-o", schema}, r.source...)
	if r.Overlay {
		args = append(args, "--overlay", "overlays/"+r.Name+".yaml")
	}
	var report strings.Builder
	c := exec.Command(filepath.Join(out, "rpcgen"), args...)
	c.Stderr = &report
	err := c.Run()
	r.imported = used(c)
	return report.String(), err
}

func unzip(from, to string) error {
	packed, err := os.Open(from)
	if err != nil {
		return err
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, text)
	return errors.Join(err, file.Close())
}

func linesOf(dir string) (lines int, err error) {
	files, err := filepath.Glob(dir + "/*.gen.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		lines += strings.Count(string(text), "\n")
	}
	return lines, err
}

// used is the processor time that a command took, with what it ran.
func used(c *exec.Cmd) time.Duration { return c.ProcessState.UserTime() + c.ProcessState.SystemTime() }

// timed runs a command, whose output is part of the error when it fails, and returns the processor time that it took.
func timed(name string, args ...string) (time.Duration, error) {
	c := exec.Command(name, args...)
	if text, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, text)
	}
	return used(c), nil
}

// command runs a command.
func command(name string, args ...string) error {
	_, err := timed(name, args...)
	return err
}
