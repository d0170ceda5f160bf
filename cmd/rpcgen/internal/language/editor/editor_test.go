package editor_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/editor"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

var update = flag.Bool("update", false, "rewrite the published schema, and which faults it catches")

// The published file is what is made of the table of keys.
func TestPublished(t *testing.T) {
	golden(t, "../../../../../schema/rpcgen-v1.json", made(t))
}

func made(t *testing.T) []byte {
	t.Helper()
	text, err := editor.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := linediff.Diff("want", want, "got", got); d != nil {
		t.Errorf("go test ./cmd/rpcgen/internal/language/editor -update rewrites it: %s", d)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(made(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("rpcgen-v1.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("rpcgen-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a file as an editor sees it: YAML read as JSON. ok is false when it is not YAML.
func asJSON(t *testing.T, text string) (value any, ok bool) {
	t.Helper()
	root, faults := syntax.Parse("x", []byte(text))
	if faults.HasErrors() {
		return nil, false
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(valueOf(root).String()))
	if err != nil {
		t.Fatal(err)
	}
	return value, true
}

func valueOf(n *syntax.Node) ir.Value {
	v := ir.Value{Kind: n.JSON(), Text: n.Text}
	switch n.Kind {
	case syntax.Sequence:
		v = ir.Value{Kind: ir.Array}
		for _, item := range n.Items {
			v.Items = append(v.Items, valueOf(item))
		}
	case syntax.Mapping:
		v = ir.Value{Kind: ir.Object}
		for _, e := range n.Entries {
			v.Fields = append(v.Fields, ir.Member{Name: e.Key.Text, Value: valueOf(e.Value)})
		}
	}
	if v.Kind == ir.Null {
		v.Text = "null"
	}
	return v
}

// corpus lists the schemas of this repository by name: those of scenarios with the files next to them, and the schema files.
func corpus(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	archives, _ := filepath.Glob("../../../../../schema/testdata/*.txtar")
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"": archive.Files[0].Name}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		all[name] = files
	}
	err := filepath.WalkDir("../../../../..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".rpc.yaml") {
			all[path] = nil
		}
		return err
	})
	if err != nil || len(all) < 50 {
		t.Fatal(len(all), err)
	}
	return all
}

// source is the text of a schema of the corpus, and whether it loads.
func source(t *testing.T, name string, files map[string]string) (text string, loads bool) {
	t.Helper()
	if files == nil {
		read, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := schema.Load(name)
		return string(read), doc != nil
	}
	main := files[""]
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok && path != "" {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	doc, _ := loader.Load(main)
	return files[main], doc != nil
}

// Every schema of this repository that loads is valid for editors.
func TestValid(t *testing.T) {
	s := compiled(t)
	valid := 0
	for name, files := range corpus(t) {
		text, loads := source(t, name, files)
		if !loads {
			continue
		}
		valid++
		value, _ := asJSON(t, text)
		if err := s.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if valid < 25 {
		t.Error("only", valid, "schemas were tried")
	}
}

// Which faults an editor shows while they are made, by the example of every diagnostic.
func TestFaults(t *testing.T) {
	s := compiled(t)
	var out bytes.Buffer
	caught := map[diag.Code]bool{}
	for _, info := range diag.Codes() {
		value, ok := asJSON(t, string(txtar.Parse([]byte(info.Example)).Comment))
		verdict := "no YAML: any editor shows it"
		if ok {
			err := s.Validate(value)
			caught[info.Code] = err != nil
			verdict = map[bool]string{true: "shown", false: "left to rpcgen"}[err != nil]
		}
		fmt.Fprintf(&out, "%-20s %s\n", info.Code, verdict)
	}
	for _, code := range []diag.Code{diag.MissingVersion, diag.UnsupportedVersion, diag.UnknownKey, diag.MisplacedKey, diag.MissingKey, diag.WrongKind,
		diag.InvalidValue, diag.UnsupportedKeyword, diag.RemoteRef, diag.InvalidTimeout} {
		if !caught[code] {
			t.Errorf("%s is not caught", code)
		}
	}
	golden(t, "testdata/faults.txt", out.Bytes())
}

// Every key explains itself.
func TestHovers(t *testing.T) {
	value, err := ir.ParseJSON(made(t))
	if err != nil {
		t.Fatal(err)
	}
	keys := 0
	var walk func(v ir.Value)
	walk = func(schema ir.Value) {
		for _, f := range schema.Fields {
			for _, p := range f.Value.Fields {
				if f.Name == "properties" {
					keys++
					if len(p.Value.Fields) == 0 || p.Value.Fields[0].Name != "description" || len(p.Value.Fields[0].Value.Text) < 8 {
						t.Errorf("%s has no words", p.Name)
					}
				}
				walk(p.Value)
			}
		}
	}
	walk(value)
	if keys < 100 {
		t.Error("only", keys, "keys")
	}
}

// What the pattern of type expressions takes: all that can be read, and little else.
func TestExpressions(t *testing.T) {
	s := compiled(t)
	for expression, good := range map[string]bool{
		"string": true, "alias.Type": true, "list<string>": true, " list < map<A|B > > | null": true, "(A | B)[]": true, "A[][]": true, "Größe": true, "日本 | null": true,
		"a-b": true, "x_y": true, "$x": true,
		"": false, "list<": false, "list<>": false, "A |": false, "| A": false, "A B": false, "A, B": false, "A[3]": false, "A & B": false, "{A}": false, "A?": false, "()": false,
	} {
		_, fault := syntax.ParseExpr(&syntax.Node{Text: expression})
		if (fault == nil) != good {
			t.Errorf("%q: the language says %v", expression, fault)
		}
		err := s.Validate(map[string]any{"rpcgen": "v1", "types": map[string]any{"A": expression}})
		if (err == nil) != good {
			t.Errorf("%q: %v", expression, err)
		}
	}
}
