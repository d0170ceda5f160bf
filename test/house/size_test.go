package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// What programs link of this module: the lines of all files of the packages, and, of these, without the functions that the linker leaves out. A figure may fall. It rises only with a reason in the change that raises it: every
// MCP server has the 44 lines that choose among listings of the tools; what rewrites arguments is linked only by servers with profiles. Of the last rise, of some 370 lines, 240 compare ids by value and say
// how large an answer was that is not sent; the others are for notifications that find no room or repeat one, for what follows an answer, and for owners of calls. Since then 36 came for streams of calls that have no
// session, over HTTP; the linker leaves them out but for 12, which are types.
const (
	helloLines = 13_626  // hand-written and generated lines of a service with one method on standard input and output
	helloKept  = 10_147  // the same without the functions that the linker leaves out
	helloBytes = 3 << 19 // what its binary has more than an empty program, in bytes
	toolLines  = 30_679  // lines of an MCP server with one tool on standard input and output, whose package has the client as well
	servLines  = 26_523  // the same without the client, which "generate --side server" leaves out
	servKept   = 19_276  // the same without the functions that the linker leaves out
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
	dir := overlay.Folder(t)
	service := write(t, filepath.Join(dir, "service"), helloSchema, hello, templates.Both)
	both := write(t, filepath.Join(dir, "both"), toolSchema, tool, templates.Both)
	server := write(t, filepath.Join(dir, "server"), toolSchema, tool, templates.ServerOnly)
	atMost(t, "lines that a service with one method links", service.lines(t, nil), helloLines)
	atMost(t, "lines that an MCP server with one tool and its client link", both.lines(t, nil), toolLines)
	atMost(t, "lines that an MCP server with one tool links", server.lines(t, nil), servLines)
	none := write(t, filepath.Join(dir, "none"), "", empty, templates.Both)
	atMost(t, "bytes of a service with one method", size(t, service.build(t, "-ldflags=-s -w"))-size(t, none.build(t, "-ldflags=-s -w")), helloBytes)
	if brief() {
		t.Log("make exhaustive compiles as users do: what the linker keeps is counted there, which DWARF tells, and the size of the compiler")
		return
	}
	atMost(t, "lines of a service that the linker keeps", service.lines(t, functions(t, service.build(t))), helloKept)
	atMost(t, "lines of an MCP server that the linker keeps", server.lines(t, functions(t, server.build(t))), servKept)
	command := filepath.Join(dir, "rpcgen")
	run(t, ".", "go", "build", "-trimpath", "-buildvcs=false", "-tags", "bootstrap", "-o", command, "./cmd/rpcgen")
	atMost(t, "bytes of the compiler with the tag bootstrap", size(t, command), bootBytes)
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

// program is the folder of a program.
type program string

// write writes a program with what is generated of a side of the schema.
func write(t *testing.T, dir, schemaText, text string, side templates.Side) program {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"main.go": text,
		"go.mod":  "module example.com/small\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace github.com/rpcgen-go/rpcgen => " + root + "\n",
	}
	if schemaText != "" {
		loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(schemaText), nil }}
		doc, faults := loader.Load("rpc.rpc.yaml")
		if doc == nil {
			t.Fatal(faults)
		}
		generated, faults, err := templates.Generate(doc, templates.Options{Side: side})
		if err != nil || faults.HasErrors() {
			t.Fatal(faults, err)
		}
		for _, f := range generated {
			files["rpc/"+f.Name] = string(f.Text)
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return program(dir)
}

// build builds a program, and returns the path of its binary.
func (p program) build(t *testing.T, flags ...string) string {
	t.Helper()
	binary := filepath.Join(string(p), "binary")
	run(t, string(p), "go", slices.Concat([]string{"build", "-mod=mod", "-o", binary}, flags, []string{"."})...)
	return binary
}

// lines compiles a program, and counts the lines of all files that it links of this module, with what is generated. If kept names the functions that the linker
// keeps, those of others are left out.
func (p program) lines(t *testing.T, kept map[string]bool) (lines int) {
	t.Helper()
	listed := run(t, string(p), "go", "list", "-mod=mod", "-export", "-deps", "-f", `{{if not .Standard}}{{$dir := .Dir}}{{$path := .ImportPath}}{{range .GoFiles}}{{$path}} {{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`, ".")
	for line := range strings.Lines(listed) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = markers.ReplaceAll(text, nil)
		lines += bytes.Count(text, []byte("\n"))
		if kept != nil {
			lines -= leftOut(t, text, path, kept)
		}
	}
	return lines
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
