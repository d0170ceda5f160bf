package hostile_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// foreign is a source of the importer's scenarios with one of its files to be changed.
type foreign struct {
	name  string
	files map[string]string
	file  string // source.json or overlay.yaml
	root  yaml.Node
	nodes []*yaml.Node // its texts and keys
	plain string       // the skeleton of what it is imported as
}

// TestHostileImport puts hostile texts into every text and every key of the sources and overlays of the importer's scenarios. Each is refused
// with a place, or becomes a schema that is refused or compiles to the code of a harmless source.
func TestHostileImport(t *testing.T) {
	few, step := 1, 5
	switch {
	case testing.Short():
		step = 31
	case *exhaustive:
		few, step = 3, 1
	}
	for i, f := range foreigners(t) {
		for j := 0; j < len(f.nodes); j += step {
			n := f.nodes[j]
			seen, left := map[string]bool{f.plain: true}, harmless
			for _, hostile := range someOf(i*1009+j, few) {
				got, ok := f.with(t, n, hostile)
				for ok && !seen[got] && len(left) > 0 {
					if twin, ok := f.with(t, n, left[0]); ok {
						seen[twin] = true
					}
					left = left[1:]
				}
				if ok && !seen[got] {
					t.Errorf("%s, %s: in the place of %q, %q changes the code\n%s", f.name, f.file, n.Value, hostile, difference(got, seen))
				}
			}
		}
	}
}

func foreigners(t *testing.T) []*foreign {
	archives, err := filepath.Glob("../importer/testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no scenarios", err)
	}
	var all []*foreign
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		for _, file := range []string{"source.json", "overlay.yaml"} {
			f := &foreign{name: filepath.Base(name), files: files, file: file}
			if files[file] == "" || yaml.Unmarshal([]byte(files[file]), &f.root) != nil {
				continue
			}
			var ok bool
			if f.plain, ok = f.compile(t, files[file]); ok {
				f.collect(&f.root)
				all = append(all, f)
			}
		}
	}
	return all
}

// collect lists what is text.
func (f *foreign) collect(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		f.nodes = append(f.nodes, n)
	}
	for _, child := range n.Content {
		f.collect(child)
	}
}

// with imports the source with a text in the place of another.
func (f *foreign) with(t *testing.T, n *yaml.Node, hostile string) (string, bool) {
	t.Helper()
	was := *n
	defer func() { *n = was }()
	n.Value, n.Tag, n.Style = hostile, "!!str", yaml.DoubleQuotedStyle
	if f.file == "source.json" {
		return f.compile(t, string(appendJSON(nil, f.root.Content[0])))
	}
	source, err := yaml.Marshal(&f.root)
	if err != nil {
		t.Fatal(err)
	}
	return f.compile(t, string(source))
}

// appendJSON writes a tree as JSON.
func appendJSON(b []byte, n *yaml.Node) []byte {
	list := func(open, end byte, separators string, nodes []*yaml.Node) []byte {
		b = append(b, open)
		for i, child := range nodes {
			if i > 0 {
				b = append(b, separators[i%len(separators)])
			}
			b = appendJSON(b, child)
		}
		return append(b, end)
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		return list('[', ']', ",", n.Content)
	case n.Kind == yaml.MappingNode:
		return list('{', '}', ",:", n.Content)
	case n.ShortTag() == "!!str":
		return appendText(b, n.Value)
	}
	return append(b, n.Value...)
}

// appendText writes a string with all that is not ASCII as it is.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, string(c)...)
		}
	}
	return append(b, '"')
}

// compile imports and compiles the source with a text of its file.
func (f *foreign) compile(t *testing.T, changed string) (string, bool) {
	t.Helper()
	files := map[string]string{"source.json": f.files["source.json"], "overlay.yaml": f.files["overlay.yaml"], f.file: changed}
	var o importer.Options
	if files["overlay.yaml"] != "" {
		o.Overlays = []importer.Source{{Name: "overlay.yaml", Text: []byte(files["overlay.yaml"])}}
	}
	result, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(files["source.json"])}, o)
	var faults importer.Faults
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			if fault.Pos.File == "" || fault.Message == "" {
				t.Errorf("a fault without a place: %v\n%s", fault, changed)
			}
		}
		return "", false
	case err != nil:
		t.Errorf("the importer fails: %v\n%s", err, changed)
		return "", false
	}
	var report bytes.Buffer
	if err := result.Report.WriteText(&report); err != nil || !text.Clean(report.String()) || !text.Clean(string(result.Text)) {
		t.Errorf("%v, or something is hidden in %q or %q", err, report.String(), result.Text)
	}
	if again, faults := format.Source("service.rpc.yaml", result.Text); faults.HasErrors() || !bytes.Equal(again, result.Text) {
		t.Errorf("what is imported is not a canonical schema: %v\n%s", faults, result.Text)
	}
	b := &bundle{name: "service.rpc.yaml"}
	doc, generated, ok := b.compile(t, string(result.Text))
	if !ok {
		return "", false
	}
	return skeleton(t, doc, generated), true
}

// TestHostileYAML writes hostile texts as YAML at every kind of place, and reads them back.
func TestHostileYAML(t *testing.T) {
	for _, s := range hostile {
		checkYAML(t, s)
	}
}

// checkYAML writes a text as a key and as values, in block and in flow style, and reads them back.
func checkYAML(t *testing.T, s string) {
	t.Helper()
	key := s // longer ones are refused
	for len(strconv.Quote("k"+key)) > 600 {
		key = string([]rune(key)[:utf8.RuneCountInString(key)/2])
	}
	leaf := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	node := func(kind yaml.Kind, content ...*yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: kind, Content: content}
	}
	root := node(yaml.MappingNode, leaf("rpcgen"), leaf("v1"), leaf("title"), leaf(s), leaf("description"), leaf(s),
		leaf("x-list"), node(yaml.SequenceNode, leaf(s), leaf("b")),
		leaf("x-map"), node(yaml.MappingNode, leaf("k"+key), leaf(s), leaf("deep"), node(yaml.MappingNode, leaf("a"+key), leaf(s))),
		leaf("types"), node(yaml.MappingNode, leaf("T"), node(yaml.MappingNode, leaf("type"), leaf("string"), leaf("description"), leaf(s), leaf("default"), leaf(s))))
	source := format.Node(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}})
	read, faults := format.Parse("written.yaml", source)
	if faults.HasErrors() {
		t.Errorf("%q is written as YAML that is refused: %v\n%s", s, faults, source)
		return
	}
	if !text.Clean(string(source)) {
		t.Errorf("%q is hidden in %q", s, source)
	}
	checkSame(t, root, read.Content[0], false, source)
}

// checkSame compares what was written with what is read. Space around prose does not count, and a number in its place is text.
func checkSame(t *testing.T, want, got *yaml.Node, prose bool, source []byte) {
	t.Helper()
	written, read := want.Value, got.Value
	if prose {
		written, read = strings.TrimSpace(written), strings.TrimSpace(read)
	}
	if want.Kind != got.Kind || len(want.Content) != len(got.Content) || written != read || want.Kind == yaml.ScalarNode && !prose && got.ShortTag() != "!!str" {
		t.Errorf("%q is read back as %s %q:\n%s", want.Value, got.ShortTag(), got.Value, source)
		return
	}
	for i := range want.Content {
		prose := want.Kind == yaml.MappingNode && i%2 == 1 && want.Content[i-1].Value == "description"
		checkSame(t, want.Content[i], got.Content[i], prose, source)
	}
}

// FuzzText puts any text at a position of a schema and of a source.
func FuzzText(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, uint16(i*37))
	}
	all, _ := positions(f)
	f.Fuzz(func(t *testing.T, s string, at uint16) {
		if len(s) > 2000 {
			return
		}
		if utf8.ValidString(s) { // YAML has no other bytes
			attack(t, all[int(at)%len(all)].clone(), []string{s})
			checkYAML(t, s)
		}
	})
}
