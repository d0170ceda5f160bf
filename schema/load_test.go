package schema_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// write makes files below a new working directory.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
}

// The Go package of an imported schema is found by the nearest go.mod, from wherever the schema is named.
func TestGoPath(t *testing.T) {
	write(t, map[string]string{
		"go.mod":                "module example.com/m\n",
		"api/shop/s.rpc.yaml":   "rpcgen: v1\nimport: {c: ../common/c.rpc.yaml, n: ../nested/n.rpc.yaml, h: h.rpc.yaml}\ntypes:\n  A: c.C | n.N | h.H\n",
		"api/shop/h.rpc.yaml":   "rpcgen: v1\ntypes:\n  H: boolean\n",
		"api/common/c.rpc.yaml": "rpcgen: v1\ntypes:\n  C: string\n",
		"api/nested/go.mod":     "// a module of its own\nmodule \"example.com/nested\" // here\n",
		"api/nested/n.rpc.yaml": "rpcgen: v1\ntypes:\n  N: integer\n",
	})
	want := "example.com/m/api/common example.com/nested example.com/m/api/shop"
	for _, c := range []struct{ dir, name string }{
		{".", "api/shop/s.rpc.yaml"}, {"api/shop", "s.rpc.yaml"}, {"api/common", "../shop/s.rpc.yaml"}, {".", mustAbs(t, "api/shop/s.rpc.yaml")},
	} {
		t.Run(c.dir+" "+filepath.Base(c.name), func(t *testing.T) {
			t.Chdir(c.dir)
			doc, faults := schema.Load(c.name)
			if doc == nil {
				t.Fatal(faults)
			}
			var got []string
			for _, i := range doc.Imports {
				got = append(got, i.GoPath)
			}
			if strings.Join(got, " ") != want {
				t.Error(got)
			}
		})
	}
}

func mustAbs(t *testing.T, name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func TestMissingFile(t *testing.T) {
	doc, faults := schema.Load(filepath.Join(t.TempDir(), "none.rpc.yaml"))
	if doc != nil || len(faults) != 1 || faults[0].Code != diag.FileUnreadable || !strings.Contains(faults[0].Message, "no such file") {
		t.Error(doc, faults)
	}
}

// A file that several import is read once, and its faults are said once.
func TestEachFileOnce(t *testing.T) {
	reads := map[string]int{}
	files := map[string]string{
		"a.rpc.yaml": "rpcgen: v1\nimport: {b: b.rpc.yaml, c: c.rpc.yaml}\ntypes:\n  A: b.B | c.C\n",
		"b.rpc.yaml": "rpcgen: v1\nimport: {c: c.rpc.yaml}\ntypes:\n  B: c.C\n",
		"c.rpc.yaml": "rpcgen: v1\ntypes:\n  C: strng\n",
	}
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		reads[path]++
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}}
	doc, faults := loader.Load("a.rpc.yaml")
	if doc != nil || len(faults) != 1 || faults[0].Span.File != "c.rpc.yaml" {
		t.Error(faults)
	}
	for name := range files {
		if reads[name] != 1 {
			t.Error(name, reads[name])
		}
	}
}

// Limits end hostile files soon.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 50_000)
	doubling := strings.Builder{}
	doubling.WriteString("rpcgen: v1\ntypes:\n  U0: {union: [X, Y]}\n  X: {fields: {x: string}}\n  Y: {fields: {y: string}}\n")
	for i := 1; i < 60; i++ {
		name, last := "U"+strconv.Itoa(i), "U"+strconv.Itoa(i-1)
		doubling.WriteString("  " + name + ": {union: [" + last + ", " + last + "]}\n")
	}
	for name, text := range map[string]string{
		"deep": "rpcgen: v1\nx: " + deep, "expression": "rpcgen: v1\ntypes:\n  A: " + strings.Repeat("(", 100_000) + "\n",
		"brackets": "rpcgen: v1\ntypes:\n  A: string" + strings.Repeat("[]", 100_000) + "\n", "doubling": doubling.String(),
		"large": strings.Repeat("#", 9<<20), "number": "rpcgen: v1\ntypes:\n  A: {type: integer, multipleOf: 1e999999999, examples: [1e99999999999999999999]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			if doc, faults, _ := load(map[string]string{"a": text}, "a"); doc != nil || !faults.HasErrors() {
				t.Error("it loads")
			}
		})
	}
}

// TestManyWaysToBases: an object that reaches its bases by very many ways is compared with another one as quickly as if there were one way.
func TestManyWaysToBases(t *testing.T) {
	var text strings.Builder
	text.WriteString("rpcgen: v1\npackage: a\ntypes:\n  X: {fields: {a: string}}\n  B: {fields: {q: X}}\n  T0: {fields: {t: string}}\n  T1: {fields: {t: string}}\n")
	for n := 2; n < 60; n++ {
		text.WriteString("  T" + strconv.Itoa(n) + ": {extends: [T" + strconv.Itoa(n-1) + ", T" + strconv.Itoa(n-2) + "]}\n")
	}
	text.WriteString("  H: {extends: [B], fields: {q: T59}}\n")
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text.String()), nil }}
	if _, faults := loader.Load("a.rpc.yaml"); len(faults) != 1 || faults[0].Code != diag.FieldConflict {
		t.Error(faults)
	}
}
