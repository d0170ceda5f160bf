package typecheck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestScenarios checks the code of each schema in testdata against the packages that it imports.
func TestScenarios(t *testing.T) {
	marked.Watch("../../../../..")
	archive, err := txtar.ParseFile("testdata/compiles.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(strings.TrimSuffix(f.Name, ".yaml"), func(t *testing.T) {
			result, faults := check(t, string(f.Data), typecheck.GoCommand{})
			if len(faults) > 0 || result.Reason != "" || result.Lines == 0 {
				t.Errorf("%v: %q", faults, result.Reason)
			}
			for _, packages := range []typecheck.Packages{nil, typecheck.GoCommand{Dir: t.TempDir()}} { // outside of a module, as in an empty folder
				if _, faults := check(t, string(f.Data), packages); len(faults) > 0 {
					t.Errorf("without packages: %v", faults)
				}
			}
		})
	}
}

// TestSharedNames checks the code of streams that share names on the wire, where few methods are routed, and many.
func TestSharedNames(t *testing.T) {
	for _, most := range []int{2, 70} {
		text := "rpcgen: v1\npackage: service\nprotocol: {items: {by: id, method: item, end: end}}\nmethods:\n  renamed: {wire: other, items: string, rate: {calls: 5}}\n"
		for n := range most {
			text += fmt.Sprintf("  m%[1]d: {}\n  s%[1]d: {wire: sub, params: {kind: {const: a%[1]d}, key: {type: string, sensitive: true}}, items: string}\n", n)
		}
		if result, faults := check(t, text, typecheck.GoCommand{}); len(faults) > 0 || result.Reason != "" {
			t.Errorf("%d: %.3q, %s", most, faults, result.Reason)
		}
	}
}

func check(t *testing.T, text string, packages typecheck.Packages) (typecheck.Result, []string) {
	t.Helper()
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("service.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	result, faults := typecheck.Check(doc, len(text), packages)
	var all []string
	for _, d := range faults {
		all = append(all, d.Span.Pos.String()+": "+d.Message)
	}
	return result, all
}

// broken binds a type that package time does not have, which only a look at the package shows.
const broken = `rpcgen: v1
package: service
types:
  Fine: string
  Moment: {type: string, go: {type: Instant, import: time}}
  Holder: {fields: {m: Moment, u: Choice}}
  Choice: {union: [string, boolean]}
`

// TestBroken finds code that does not compile, and the declaration that it is of.
func TestBroken(t *testing.T) {
	_, faults := check(t, broken, typecheck.GoCommand{})
	if len(faults) == 0 || !strings.HasPrefix(faults[0], "service.rpc.yaml:6:3: this becomes Go that does not compile: rpc_types.gen.go:") ||
		!strings.HasSuffix(faults[0], "undefined: time.Instant") {
		t.Errorf("got %q", faults)
	}
}

// TestWithoutPackages checks code without what it imports.
func TestWithoutPackages(t *testing.T) {
	untidy := t.TempDir()
	if err := os.WriteFile(filepath.Join(untidy, "go.mod"), []byte("module untidy\n\ngo 1.16\n\nrequire github.com/dave/jennifer v1.7.1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for reason, packages := range map[string]typecheck.Packages{
		"the go command failed: github.com/dave/jennifer@v1.7.1: missing go.sum entry for go.mod file: run go mod tidy": typecheck.GoCommand{Dir: untidy},
		"imported packages are not looked at":               nil,
		"the go command finds no package github.com/rpcgen": typecheck.GoCommand{Dir: t.TempDir()},
		"the go command did not end within 1ns":             typecheck.GoCommand{Limit: time.Nanosecond},
	} {
		result, faults := check(t, strings.Replace(broken, "Instant", "Time", 1), packages)
		if len(faults) > 0 || !strings.HasPrefix(result.Reason, reason) {
			t.Errorf("got %q and %q, expected %q", faults, result.Reason, reason)
		}
	}
}

// TestNoGoCommand says so when there is no toolchain.
func TestNoGoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if result, faults := check(t, "rpcgen: v1\npackage: service\ntypes: {A: {fields: {b: string}}}\n", typecheck.GoCommand{}); len(faults) > 0 ||
		result.Reason != "there is no go command" {
		t.Errorf("got %q and %q", faults, result.Reason)
	}
}

// TestNames says what cannot be named in Go.
func TestNames(t *testing.T) {
	_, faults := check(t, "rpcgen: v1\npackage: service\ntypes:\n  a_b: string\n  aB: string\n", nil)
	if len(faults) != 1 || !strings.HasPrefix(faults[0], "service.rpc.yaml:5:3: ") {
		t.Errorf("got %q", faults)
	}
}

// TestMuchCode: how much code is checked follows from the size of the schema, and of what is more the files and lines are counted alone.
func TestMuchCode(t *testing.T) {
	text := "rpcgen: v1\npackage: service\nuse: [mcp]\nserver: {name: service, version: v1}\ntools:\n"
	for i := range 1700 {
		text += fmt.Sprintf("  t%d: {description: does it, input: {a: string}, output: {b: string}}\n", i)
	}
	result, faults := check(t, text, nil)
	if len(faults) > 0 || result.Reason != "the types of more than 4 MiB of code are not checked" || result.Files < 5 || result.Lines < 100_000 {
		t.Errorf("%v, %+v", faults, result)
	}
}
