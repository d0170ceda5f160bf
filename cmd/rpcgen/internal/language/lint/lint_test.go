package lint_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// run lints a schema that loads.
func run(t *testing.T, text string) (findings diag.List, unused []int) {
	t.Helper()
	loader := &schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("main.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return lint.Run(doc, faults)
}

// The example of every rule is found by that rule and no other, and can be ignored by the path that the finding has.
func TestRuleExamples(t *testing.T) {
	seen := map[diag.Code]bool{}
	for i, r := range lint.Rules() {
		t.Run(fmt.Sprint(i, " ", r.Code), func(t *testing.T) {
			if r.Title == "" || r.Explanation == "" || r.Example == "" || seen[r.Code] {
				t.Fatal("rules.txt has no paragraph of this rule (# CODE: TITLE, the reasons, an example), or Rules lists it twice")
			}
			if _, taken := diag.Lookup(string(r.Code)); taken {
				t.Error("the id is that of a diagnostic")
			}
			seen[r.Code] = true
			found, _ := run(t, r.Example)
			if len(found) != 1 || found[0].Code != r.Code || found[0].Severity != r.Severity || !found[0].Span.Valid() || found[0].Help == "" {
				for _, f := range found {
					t.Errorf("%s at %s: %s (%s)", f.Code, f.Path, f.Message, f.Help)
				}
				t.Fatalf("the example has %d findings, and not this one alone, with a place and help", len(found))
			}
			if r.Code == lint.IgnoreWithoutReason {
				return
			}
			ignore := fmt.Sprintf("lint: {ignore: [{rule: %s, at: %q, reason: tested}]}\n", r.Code, found[0].Path)
			if left, unused := run(t, r.Example+ignore); len(left)+len(unused) > 0 {
				t.Errorf("%v %v", left, unused)
			}
		})
	}
}

// A scenario is a txtar archive of a schema and its findings.
func TestScenarios(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			found, unused := run(t, string(archive.Files[0].Data))
			for _, f := range found {
				fmt.Fprintf(&b, "%s: %s: %s [%s] at %s (%s)\n", f.Span.Pos, f.Severity, f.Message, f.Code, f.Path, f.Help)
			}
			if len(unused) > 0 {
				fmt.Fprintln(&b, "unused", unused)
			}
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: b.Bytes()})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := linediff.Diff("want", archive.Files[1].Data, "got", b.Bytes()); d != nil {
				t.Errorf("%s", d)
			}
		})
	}
}

// TestPrefixOnWire: what counts is the name on the wire.
func TestPrefixOnWire(t *testing.T) {
	found, _ := run(t, "rpcgen: v1\nmethods:\n  log/tail: {wire: rpc.tail, items: string}\n  rpc.log: {wire: log, items: string}\n")
	prefixed := slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Code != lint.RPCPrefix })
	if len(prefixed) != 1 || prefixed[0].Message != `"rpc.tail" is reserved: names that begin with rpc. belong to JSON-RPC` {
		t.Error(prefixed)
	}
}

// Findings come in the order of the file.
func TestOrder(t *testing.T) {
	found, _ := run(t, "rpcgen: v1\nmethods:\n  ping: {}\n  rpc.x: {}\n  get: {params: {b: string, a: list<string>}}\n")
	if len(found) < 6 || !slices.IsSortedFunc(found, func(a, b diag.Diagnostic) int { return a.Span.Compare(b.Span.Pos) }) {
		t.Error(found)
	}
}
