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
	var rows []row
	for _, s := range specs {
		r, err := s.make()
		if err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		rows = append(rows, r)
	}
	if err := exchanges(rows); err != nil {
		return err
	}
	return table(rows, write)
}

// row is what became of a specification.
type row struct {
	spec
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
func (s spec) dir() string { return filepath.Join(out, s.name) }

func (s spec) make() (row, error) {
	r := row{spec: s}
	if err := os.MkdirAll(s.dir(), 0o755); err != nil {
		return r, err
	}
	schema := filepath.Join(s.dir(), s.name+".rpc.yaml")
	text, err := s.importTo(schema, &r)
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, text)
	}
	if err := json.Unmarshal([]byte(text), &r.report); err != nil {
		return r, err
	}
	if g := r.report.Generated; g == nil || g.Unchecked != "" {
		return r, errors.New("the import does not say that the code type-checks")
	}
	if r.generated, err = timed(filepath.Join(out, "rpcgen"), "generate", "-q", schema); err != nil {
		return r, err
	}
	if err := s.touch(); err != nil {
		return r, err
	}
	if r.built, err = timed("go", "build", "./"+s.dir()); err != nil {
		return r, err
	}
	if err := command("go", "vet", "./"+s.dir()); err != nil {
		return r, err
	}
	r.lines, err = linesOf(s.dir())
	return r, err
}

// touch adds a file that no package had before, so that the package is built and not found in the build cache.
func (s spec) touch() error {
	text := fmt.Sprintf("package %s\n\n// Made at %d.\n", s.name, time.Now().UnixNano())
	return os.WriteFile(filepath.Join(s.dir(), "made.go"), []byte(text), 0o644)
}

// importTo imports the source, and returns the report or what is wrong.
func (s spec) importTo(schema string, r *row) (string, error) {
	args := []string{"import", "--report", "json", "-o", schema}
	for _, name := range append([]string{s.name}, s.tables...) {
		file := filepath.Join(s.dir(), name+".json")
		if err := unzip("testdata/"+name+".json.gz", file); err != nil {
			return "", err
		}
		args = append(args, file)
	}
	for path, name := range s.others {
		file := filepath.Join(s.dir(), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := unzip("testdata/"+name+".json.gz", file); err != nil {
			return "", err
		}
		args = append(args, "--root", s.dir())
	}
	if s.overlay {
		args = append(args, "--overlay", "overlays/"+s.name+".yaml")
	}
	var report strings.Builder
	c := exec.Command(filepath.Join(out, "rpcgen"), args...)
	c.Stderr = &report
	began := time.Now()
	err := c.Run()
	r.imported = time.Since(began)
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

func timed(name string, args ...string) (time.Duration, error) {
	began := time.Now()
	err := command(name, args...)
	return time.Since(began), err
}

// command runs a command, whose output is part of the error when it fails.
func command(name string, args ...string) error {
	text, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	return nil
}
