package lsp

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
)

// TestCompletion expects some of what is completed, and nothing of what may not stand there.
func TestCompletion(t *testing.T) {
	e := initialized(t, Options{read: files(map[string]string{"other.rpc.yaml": "rpcgen: v1\ntypes: {Far: string}\n"})})
	for _, test := range []struct {
		text       string
		with, none []string
	}{
		{"rpcgen: v1\n^", []string{"package: ", "types:"}, []string{"rpcgen: ", "string"}},
		{"rpcgen: v1\npack^age: a\n", []string{"package"}, []string{"package: "}},
		{"rpcgen: v1\ntypes:\n  A: {fields: {x: string}, d^}\n", []string{"description: ", "mixin: "}, []string{"fields:", "default:"}},
		{"rpcgen: v1\ntypes:\n  A:\n    fields:\n      x: {^\n", []string{"default: ", "type: "}, []string{"mixin: "}},
		{"rpcgen: v1\nimport: {o: other.rpc.yaml}\ntypes:\n  A: {fields: {x: list<^>}}\n  B: string\n",
			[]string{"string", "A", "B", "o.Far", "uuid"}, []string{"type: "}},
		{"rpcgen: v1\nmethods: {a/b: {from: ^}}\n", []string{"client", "both"}, []string{"string"}},
		{"rpcgen: v1\nerrors: {Busy: {code: 1}}\nmethods:\n  a/b:\n    errors: [^", []string{"Busy"}, []string{"string"}},
		{"rpcgen: v1\ntypes:\n  A: {fields: {x: {sensitive: ^}}}\n", []string{"true"}, []string{"string"}},
		{"rpcgen: v1\ntypes:\n  A:\n    union:\n      - ^\n", []string{"A", "type: "}, nil},
		{"rpcgen: v1\ntools: {a: {content: ^}}\n", []string{"any", "image", "list<resource_link>"}, []string{"string"}},
		{"rpcgen: v1\ntools:\n  a:\n    content: [text, ^", []string{"image", "resource_link"}, []string{"any", "list<image>", "string"}},
		{"rpcgen: v1\ntitle: ^\n", nil, []string{"string", "package: "}},
		{"rpcgen: v1\n# ^\n", nil, []string{"package: "}},
	} {
		list, err := e.TextDocumentCompletion(e.ctx, e.at(uri, test.text))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, item := range list.Items {
			texts = append(texts, item.TextEdit.NewText)
		}
		for _, want := range test.with {
			if !slices.Contains(texts, want) {
				t.Errorf("%q: no %q in %q", test.text, want, texts)
			}
		}
		for _, not := range test.none {
			if slices.Contains(texts, not) {
				t.Errorf("%q: %q may not stand there", test.text, not)
			}
		}
	}
}

// TestDefinition goes from uses to declarations.
func TestDefinition(t *testing.T) {
	e := initialized(t, Options{read: files(map[string]string{"other.rpc.yaml": "rpcgen: v1\ntypes: {Far: string}\n"})})
	const other = "file:///schemas/other.rpc.yaml"
	for _, test := range []struct {
		text, uri  string
		line, from uint32
		to         uint32
	}{
		{"rpcgen: v1\ntypes:\n  A: {fields: {𝄞: list<B^>}}\n  B: string\n", uri, 3, 2, 3},
		{"rpcgen: v1\ntypes:\n  A^: string\n", uri, 2, 2, 3},
		{"rpcgen: v1\nimport: {o: other.rpc.yaml}\ntypes: {A: o.F^ar}\n", other, 1, 8, 11},
		{"rpcgen: v1\nerrors: {Busy: {code: 1}}\nmethods: {a/b: {errors: [Bu^sy]}}\n", uri, 1, 9, 13},
		{"rpcgen: v1\ntypes: {A: Mis^sing}\n", "", 0, 0, 0},
		{"rpcgen: v1\ntypes: {A: string^}\n", "", 0, 0, 0},
		{"rpcgen: v1\ntitle: A^\ntypes: {A: string}\n", "", 0, 0, 0},
	} {
		got, err := e.TextDocumentDefinition(e.ctx, e.at(uri, test.text))
		at, _ := got.Get()
		want := lsp.Location{URI: test.uri, Range: lsp.Range{
			Start: lsp.Position{Line: test.line, Character: test.from}, End: lsp.Position{Line: test.line, Character: test.to}}}
		if err != nil || at != want {
			t.Errorf("%q: %+v, %v", test.text, at, err)
		}
	}
}

// files reads files of the folder of uri.
func files(texts map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := texts[filepath.Base(name)]; ok && filepath.Dir(name) == filepath.FromSlash("/schemas") {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
}
