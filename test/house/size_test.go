package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What programs link of this module: the lines of all files of the packages, and, of these, without the functions that the linker leaves out. A figure may fall. It rises only with a reason in the change that raises it: every
// MCP server has the 44 lines that choose among listings of the tools; what rewrites arguments is linked only by servers with profiles. Of the last rise, of some 370 lines, 240 compare ids by value and say
// how large an answer was that is not sent; the others are for notifications that find no room or repeat one, for what follows an answer, and for owners of calls.
const (
	helloLines = 13_590  // hand-written and generated lines of a service with one method on standard input and output
	helloKept  = 10_135  // the same without the functions that the linker leaves out
	helloBytes = 3 << 19 // what its binary has more than an empty program, in bytes
	toolLines  = 30_638  // lines of an MCP server with one tool on standard input and output, whose package has the client as well
	servLines  = 26_505  // the same without the client, which "generate --side server" leaves out
	servKept   = 19_280  // the same without the functions that the linker leaves out
	bootBytes  = 13_740_000
)

const empty = "package main\n\nfunc main() { println() }\n"

const hello = `package main

import (
	"context"

	"example.com/small/rpc"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

type server struct{}

func (server) Hello(_ context.Context, p rpc.HelloParams) (rpc.HelloResult, error) {
	return rpc.HelloResult{Text: "Hello " + p.Name}, nil
}

func main() { stdio.Serve(context.Background(), rpc.NewHandler(server{})) }
`

const helloSchema = `rpcgen: v1
package: rpc
methods:
  hello: {params: {name: string}, result: {text: string}}
`

const tool = `package main

import (
	"context"

	"example.com/small/rpc"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

type server struct{}

func (server) Hello(_ context.Context, in rpc.HelloInput) (rpc.HelloOutput, error) {
	return rpc.HelloOutput{Text: "Hello " + in.Name}, nil
}

func main() { stdio.Serve(context.Background(), rpc.NewServer(server{}, mcp.Options{})) }
`

const toolSchema = `rpcgen: v1
package: rpc
use: [mcp]
server: {name: small, version: 1.0.0}
tools:
  hello: {description: Greets., input: {name: string}, output: {text: string}}
`

// TestSizes builds small programs, and counts the lines of this module that they link and the size of their binaries.
func TestSizes(t *testing.T) {
	root()
	if testing.Short() {
		t.Skip("builds programs")
	}
	command := filepath.Join(t.TempDir(), "rpcgen")
	if brief() {
		t.Log("the size of the compiler is not measured here: make exhaustive compiles it as users have it")
		run(t, ".", "go", "build", "-o", command, "./cmd/rpcgen")
	} else {
		run(t, ".", "go", "build", "-trimpath", "-buildvcs=false", "-tags", "bootstrap", "-o", command, "./cmd/rpcgen")
		atMost(t, "bytes of the compiler with the tag bootstrap", size(t, command), bootBytes)
	}
	none := build(t, command, "both", "", empty)
	service := build(t, command, "both", helloSchema, hello)
	atMost(t, "lines that a service with one method links", service.lines, helloLines)
	atMost(t, "lines of it that the linker keeps", service.kept, helloKept)
	atMost(t, "bytes of a service with one method", service.bytes-none.bytes, helloBytes)
	atMost(t, "lines that an MCP server with one tool and its client link", build(t, command, "both", toolSchema, tool).lines, toolLines)
	server := build(t, command, "server", toolSchema, tool)
	atMost(t, "lines that an MCP server with one tool links", server.lines, servLines)
	atMost(t, "lines of it that the linker keeps", server.kept, servKept)
}

// brief reports whether packages are compiled for tests alone, as the Makefile says.
func brief() bool { return strings.Contains(os.Getenv("GOFLAGS"), "-dwarf=false") }

func atMost(t *testing.T, what string, got, most int) {
	t.Helper()
	t.Logf("%s: %d", what, got)
	if got > most {
		t.Errorf("%s: %d, and not at most %d", what, got, most)
	}
}

// built is what a program links of this module, with what is generated.
type built struct {
	lines int // of all files
	kept  int // those without the functions that the linker leaves out
	bytes int // of the binary without symbols
}

// build builds a program with what is generated of a side of the schema.
func build(t *testing.T, command, side, schema, program string) (b built) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": program, "rpc/rpc.rpc.yaml": schema,
		"go.mod": "module example.com/small\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace github.com/rpcgen-go/rpcgen => " + root + "\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if schema != "" {
		run(t, dir, command, "generate", "-q", "--side", side, "rpc/rpc.rpc.yaml")
	}
	small, whole := filepath.Join(dir, "small"), filepath.Join(dir, "whole")
	run(t, dir, "go", "build", "-mod=mod", "-ldflags=-s -w", "-o", small, ".")
	run(t, dir, "go", "build", "-mod=mod", "-o", whole, ".")
	b.bytes = size(t, small)
	kept := functions(t, whole)
	listed := run(t, dir, "go", "list", "-mod=mod", "-deps", "-f", `{{if not .Standard}}{{$dir := .Dir}}{{$path := .ImportPath}}{{range .GoFiles}}{{$path}} {{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`, ".")
	for line := range strings.Lines(listed) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = markers.ReplaceAll(text, nil)
		n := bytes.Count(text, []byte("\n"))
		b.lines += n
		b.kept += n - leftOut(t, text, path, kept)
	}
	return b
}

// markers finds the comments for those who run tests, which are no lines of a program.
var markers = regexp.MustCompile(`(?m)^(//\n)?(//test:.*\n)+`)

func size(t *testing.T, file string) int {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.String())
	}
	return string(out)
}
