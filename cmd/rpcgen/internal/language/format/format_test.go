package format_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// A scenario is a txtar archive of a schema and its canonical form.
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
			got := formatted(t, archive.Files[0].Data)
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: got})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := linediff.Diff("want", archive.Files[1].Data, "got", got); d != nil {
				t.Errorf("%s", d)
			}
			keeps(t, archive.Files[0].Data, got)
		})
	}
}

func formatted(t *testing.T, text []byte) []byte {
	t.Helper()
	got, faults := format.Source("main.rpc.yaml", text)
	if faults.HasErrors() {
		t.Fatal(faults)
	}
	return got
}

// keeps checks what holds for every formatted text: formatting it again changes nothing, and no comment is lost.
func keeps(t *testing.T, text, got []byte) {
	t.Helper()
	if d := cmp.Diff(string(got), string(formatted(t, got))); d != "" {
		t.Error("formatting twice is not formatting once", d)
	}
	if d := cmp.Diff(comments(text), comments(got)); d != "" {
		t.Error("comments", d)
	}
}

var comment = regexp.MustCompile(`(?:^|[ \t])(#[^\n"']*)$`)

// comments lists the comments of a text in no order. Scenarios have no # in their texts.
func comments(text []byte) []string {
	var all []string
	for line := range strings.Lines(string(text)) {
		if m := comment.FindStringSubmatch(strings.TrimRight(line, " \t\r\n")); m != nil {
			all = append(all, m[1])
		}
	}
	slices.Sort(all)
	return all
}

// corpus lists the schemas of this repository that load, by name.
func corpus(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	archives, err := filepath.Glob("../../../../../schema/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		files["main.rpc.yaml"] = string(archive.Files[0].Data)
		all[filepath.Base(name)] = files
	}
	for _, name := range ownSchemas(t) {
		files := map[string]string{}
		siblings, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.rpc.yaml"))
		for _, s := range siblings {
			files[filepath.Base(s)] = read(t, s)
		}
		files["main.rpc.yaml"] = read(t, name)
		all[name] = files
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ownSchemas lists the schema files of this repository.
func ownSchemas(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("../../../../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "bin" { // what make builds
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".rpc.yaml") && !strings.Contains(filepath.ToSlash(path), "/testdata/") {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) < 5 {
		t.Fatal("schemas are missing", names, err)
	}
	return names
}

func model(files map[string]string) (string, bool) {
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	doc, _ := loader.Load("main.rpc.yaml")
	if doc == nil {
		return "", false
	}
	var b strings.Builder
	printValue(&b, reflect.ValueOf(doc), "\n", map[any]int{})
	return b.String(), true
}

// places are the types of what says where things were written.
var places = []reflect.Type{reflect.TypeFor[diag.Pos](), reflect.TypeFor[diag.Span](), reflect.TypeFor[[]ir.Key]()}

// printValue writes all of a value but where things were written; what a pointer leads to is written once, and is a number from then on.
func printValue(b *strings.Builder, v reflect.Value, newline string, seen map[any]int) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Pointer {
			if n, ok := seen[v.Interface()]; ok {
				fmt.Fprint(b, " #", n)
				return
			}
			seen[v.Interface()] = len(seen)
		}
		printValue(b, v.Elem(), newline, seen)
	case reflect.Struct:
		b.WriteString(v.Type().Name())
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() && !slices.Contains(places, f.Type()) {
				b.WriteString(newline + v.Type().Field(i).Name + ": ")
				printValue(b, f, newline+"  ", seen)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteString(newline + "- ")
			printValue(b, v.Index(i), newline+"  ", seen)
		}
	default:
		fmt.Fprintf(b, "%#v", v)
	}
}

// Formatting changes no model, and formatting twice is formatting once.
func TestCorpus(t *testing.T) {
	compared := 0
	for name, files := range corpus(t) {
		before, ok := model(files)
		if !ok {
			continue
		}
		compared++
		t.Run(name, func(t *testing.T) {
			got := formatted(t, []byte(files["main.rpc.yaml"]))
			if d := cmp.Diff(string(got), string(formatted(t, got))); d != "" {
				t.Error("formatting twice is not formatting once", d)
			}
			files["main.rpc.yaml"] = string(got)
			after, ok := model(files)
			if !ok {
				t.Fatalf("it no longer loads:\n%s", got)
			}
			if d := cmp.Diff(before, after); d != "" {
				t.Error(d)
			}
		})
	}
	if compared < 20 {
		t.Error("only", compared, "schemas were compared")
	}
}

// The schemas of this repository are in their canonical form.
func TestOwnSchemas(t *testing.T) {
	for _, name := range ownSchemas(t) {
		text := read(t, name)
		if d := cmp.Diff(text, string(formatted(t, []byte(text)))); d != "" {
			t.Errorf("run rpcgen fmt %s: %s", name, d)
		}
	}
}

// What a document may hold in addition to what Parse gives: comments on values and on the document, and text that says it is text.
func TestMadeDocument(t *testing.T) {
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	types := mappingNode(text("Since"), &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		text("const"), text("2026-07-28"), text("type"), text("string[]"), text("description"), text("When.")}})
	types.Content[1].HeadComment = "# of the value"
	types.Content[1].LineComment = "# next to it"
	doc := &yaml.Node{Kind: yaml.DocumentNode, HeadComment: "# first", FootComment: "# last", Content: []*yaml.Node{
		mappingNode(text("types"), types, text("rpcgen"), text("v1"))}}
	want := `# first
rpcgen: v1

types:
  # of the value
  Since:  # next to it
    type: list<string>
    description: When.
    const: "2026-07-28"
# last
`
	if d := cmp.Diff(want, string(format.Node(doc))); d != "" {
		t.Error(d)
	}
}
