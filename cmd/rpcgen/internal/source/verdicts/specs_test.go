package verdicts_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

var (
	specs      = flag.String("specs", "", "the folder of specifications of others, test/specs/testdata")
	specValues = flag.Int("values", 60, "how many values of each type of a specification are judged")
)

// specification is a definition file of others, with the pointer to what it defines. The Language Server Protocol is none of them: its meta
// model is not JSON Schema, and no other judge of it is there.
type specification struct{ name, at string }

var specifications = []specification{
	{"dap", "/definitions/"}, {"a2a", "/definitions/"}, {"acp", "/$defs/"}, {"ethereum", "/components/schemas/"}, {"starknet", "/components/schemas/"},
}

// TestSpecifications takes samples of the types that specifications are imported as, edits them, and compares the verdicts of generated code with
// those of the independent validator on the specification itself.
func TestSpecifications(t *testing.T) {
	if *specs == "" {
		t.Skip("make specs says where they are")
	}
	for _, s := range specifications {
		t.Run(s.name, func(t *testing.T) { s.judge(t) })
	}
	t.Run("github", judgeTools)
}

// unzipped is the text of a specification.
func unzipped(t *testing.T, name string) []byte {
	packed, err := os.ReadFile(filepath.Join(*specs, name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// specified is the independent validator's view of a specification.
type specified struct {
	*testing.T
	compiler *jsonschema.Compiler
}

func newSpecified(t *testing.T, text []byte) specified {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:spec", v); err != nil {
		t.Fatal(err)
	}
	return specified{t, c}
}

// at is the schema at a pointer; nil when there is none.
func (s specified) at(pointer string) *jsonschema.Schema {
	compiled, err := s.compiler.Compile("mem:spec#" + pointer)
	if err != nil {
		return nil
	}
	return compiled
}

func (s specification) judge(t *testing.T) {
	text := unzipped(t, s.name)
	result, err := importer.Import(importer.Source{Name: s.name + ".json", Text: text}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one := batch{text: typesOf(result.Text), asked: map[string][]question{}}
	doc, err := compiled(one.text)
	if err != nil {
		t.Fatal(err)
	}
	original, e := newSpecified(t, text), newEditor(1)
	unmatched, explained := 0, 0
	for _, d := range doc.Types {
		checker := original.at(s.at + d.Name)
		if checker == nil || d.Mixin {
			unmatched++
			continue
		}
		excused := reachesWeakened(&ir.Ref{Decl: d}, result.Report, s.at)
		for _, v := range e.values(d.Type, *specValues) {
			q := question{of: d.Name, value: v, valid: valid(t, checker, v)}
			if faults := judge.Judge(d.Type, v); (len(faults) == 0) != q.valid {
				if excused || onlyFormats(faults) {
					explained++
					continue
				}
				t.Errorf("%s: %s: the type says %v, the independent validator %v", d.Name, v, faults, q.valid)
				continue
			}
			one.asked[d.Name] = append(one.asked[d.Name], q)
		}
		one.types = append(one.types, d.Name)
	}
	if t.Failed() {
		return
	}
	b := newBuilt(t)
	b.add(one, full)
	b.run()
	t.Logf("%d types are not definitions of the source; docs/import.md explains %d disagreements", unmatched, explained)
}

// typesOf is the text of a schema without what comes after its types.
func typesOf(text []byte) []byte {
	for _, section := range []string{"errors", "methods", "notifications", "tools"} {
		if at := bytes.Index(text, []byte("\n"+section+":\n")); at >= 0 {
			text = text[:at+1]
		}
	}
	return text
}

// values are samples of a type and edited ones.
func (e *editor) values(t ir.Type, n int) []ir.Value {
	all := samples(t)
	if len(all) == 0 {
		all = e.pool
	}
	for _, v := range all[:min(len(all), 3)] {
		if len(e.pool) < 2000 {
			e.pool = append(e.pool, v)
		}
	}
	whole := len(all)
	for range n {
		all = append(all, e.edited(all[e.IntN(whole)]))
	}
	return all
}

// onlyFormats reports whether a value is refused for nothing but formats, those of integers among them, which are annotations to others.
func onlyFormats(faults []judge.Fault) bool {
	return len(faults) > 0 && !slices.ContainsFunc(faults, func(f judge.Fault) bool { return f.Rule != "format" && !strings.HasPrefix(f.Message, "must be from ") })
}

// reachesWeakened reports whether a type has a part that the report calls weakened.
func reachesWeakened(t ir.Type, report *importer.Report, at string) bool {
	weakened := func(name string) bool {
		return slices.ContainsFunc(report.Weakened, func(o importer.Opaque) bool {
			return o.Pointer == at+name || strings.HasPrefix(o.Pointer, at+name+"/")
		})
	}
	reached := map[*ir.Decl]bool{}
	ir.Reach(t, reached)
	for d := range reached {
		if weakened(d.Name) {
			return true
		}
	}
	return false
}

// judgeTools compares the verdicts on the input of tools.
func judgeTools(t *testing.T) {
	text := unzipped(t, "github")
	result, err := importer.Import(importer.Source{Name: "github.json", Text: text}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := compiled(result.Text)
	if err != nil {
		t.Fatal(err)
	}
	source, err := ir.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	e, asked := newEditor(1), 0
	for i, tool := range member(source, "tools").Items {
		checker, input := independent(t, member(tool, "inputSchema")), doc.Tools[i].Input
		if input == nil {
			continue // it takes none, and any object is an empty one
		}
		for _, v := range e.values(input, *specValues) {
			asked++
			want := valid(t, checker, v)
			if faults := judge.Judge(input, v); (len(faults) == 0) != want && !onlyFormats(faults) {
				t.Errorf("%s: %s: the type says %v, the independent validator %v", doc.Tools[i].Name, v, faults, want)
			}
		}
	}
	t.Logf("asked about %d values", asked)
}
