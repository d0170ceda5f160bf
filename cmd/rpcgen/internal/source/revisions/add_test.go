package revisions_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

var (
	added = flag.String("add", "", "add the revision that this file defines, the schema.json of MCP, to the repository (make revision)")
	date  = flag.String("date", "", "the revision that -add adds, such as 2026-12-01")
)

const (
	root        = "../../../../../"
	definitions = "schema/mcp/testdata/definitions/"
	overlay     = "schema/mcp/overlay/"
	methods     = "schema/mcp/testdata/methods.txt"
	codes       = "schema/diag/codes.txt"
	table       = "runtime/internal/mcp/protocol/era.go"
)

// TestAdd adds a revision to a copy of what a revision touches: the definitions of the newest one under a later date, with another name of a member and another
// code. With -add, it adds that revision to the repository, and logs what a person has to decide.
func TestAdd(t *testing.T) {
	newest := mcp.Revisions[len(mcp.Revisions)-1]
	if *added != "" {
		addition{t, root, newest, *date}.add(read(t, *added))
		return
	}
	a := addition{t, t.TempDir() + "/", newest, "2099-12-01"}
	for _, name := range []string{"schema/mcp/" + newest + ".yaml", overlay + newest + ".yaml", definitions + newest + ".json", methods, codes, table} {
		a.write(name, string(read(t, root+name)))
	}
	changed := strings.NewReplacer(`"structuredContent": {`, `"description": "Prose.", "outputs": {`, "-32021", "-32025").Replace(string(read(t, root+definitions+newest+".json")))
	var got []string
	for _, c := range a.add([]byte(changed)).Changes {
		got = append(got, c.Path)
	}
	want := []string{
		"document/package", "document/revision", "errors/MissingRequiredClientCapability/code",
		"types/CallToolResult/outputs", "types/CallToolResult/structuredContent", "types/ToolResultContent/outputs", "types/ToolResultContent/structuredContent",
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the changes are %v, and not %v", got, want)
	}
	for name, want := range map[string]string{
		table: "\tcase \"2099-12-01\":\n\t\treturn Revision{Era: Stateless", codes: newest + " and 2099-12-01.", methods: " 2099-12-01\n",
		"schema/mcp/2099-12-01.yaml": "\npackage: mcp20991201\n",
	} {
		if text := string(read(t, a.root+name)); !strings.Contains(text, want) {
			t.Errorf("%s does not have %q:\n%s", name, want, text)
		}
	}
	if text := read(t, a.root+definitions+"2099-12-01.json"); bytes.Contains(text, []byte("Prose.")) || !bytes.Contains(text, []byte("outputs")) {
		t.Error("the definitions have prose, or not what they define")
	}
}

// addition adds a revision of MCP, which follows another one, to the files below a folder.
type addition struct {
	t                  *testing.T
	root, newest, date string
}

// add writes what does not need a person. What is there already of the revision is kept: an overlay that was edited stays.
func (a addition) add(source []byte) *diff.Report {
	if !regexp.MustCompile(`^20\d\d-\d\d-\d\d$`).MatchString(a.date) || a.date <= a.newest && !slices.Contains(mcp.Revisions, a.date) {
		a.t.Fatalf("the date is that of the revision, later than %s, and not %q", a.newest, a.date)
	}
	before := a.newest
	if i := slices.Index(mcp.Revisions, a.date); i > 0 {
		before = mcp.Revisions[i-1]
	}
	a.write(definitions+a.date+".json", withoutProse(a.t, source))
	if _, err := os.Stat(a.root + overlay + a.date + ".yaml"); err != nil {
		a.write(overlay+a.date+".yaml", strings.ReplaceAll(string(read(a.t, a.root+overlay+before+".yaml")), before, a.date))
	}
	a.importSchema(before)
	old, is := a.load(before), a.load(a.date)
	a.writeMethods(is)
	a.edit(codes, " and "+before+".", ", "+before+" and "+a.date+".")
	a.edit(table, `"`+before+`"}`, `"`+before+`", "`+a.date+`"}`)
	line := regexp.MustCompile(`\tcase "` + before + `":\n.*\n`).FindString(string(read(a.t, a.root+table)))
	a.edit(table, line+"\t}\n", line+strings.ReplaceAll(line, before, a.date)+"\t}\n")
	report := diff.Compare(old, is, names)
	a.advise(is, report)
	return report
}

// importSchema writes the schema: the definitions and the overlay, with the order and the words of the revision before.
func (a addition) importSchema(before string) {
	name := "schema/mcp/" + a.date + ".yaml"
	text, err := os.ReadFile(a.root + name)
	if err != nil {
		text = read(a.t, a.root+"schema/mcp/"+before+".yaml")
		text = bytes.Replace(text, []byte("package: "+packageOf(before)+"\n"), []byte("package: "+packageOf(a.date)+"\n"), 1)
	}
	source := func(name string) importer.Source { return importer.Source{Name: name, Text: read(a.t, a.root+name)} }
	result, err := importer.Import(source(definitions+a.date+".json"), importer.Options{
		Revision: a.date, Overlays: []importer.Source{source(overlay + a.date + ".yaml")}, Out: &importer.Source{Name: name, Text: text}, Adopt: true,
	})
	if err != nil {
		a.t.Fatalf("edit %s%s.yaml, and run it again:\n%v", overlay, a.date, err)
	}
	a.write(name, string(result.Text))
}

// packageOf is the name of the Go package of a revision.
func packageOf(revision string) string { return "mcp" + strings.ReplaceAll(revision, "-", "") }

// load compiles the schema of a revision.
func (a addition) load(revision string) *ir.Document {
	loader := schema.Loader{Read: func(name string) ([]byte, error) { return os.ReadFile(a.root + "schema/mcp/" + name) }}
	doc, faults := loader.Load(revision + ".yaml")
	if doc == nil || len(faults) > 0 {
		a.t.Fatal(faults)
	}
	return doc
}

// writeMethods adds a column to the table of who sends what.
func (a addition) writeMethods(doc *ir.Document) {
	from := map[string]string{}
	for _, m := range doc.Methods {
		from[m.Name] = map[ir.Side]string{ir.FromClient: "client", ir.FromServer: "server", ir.FromBoth: "both"}[m.From]
		if m.Embedded {
			from[m.Name] = "embedded"
		}
	}
	lines := strings.Split(strings.TrimSpace(string(read(a.t, a.root+methods))), "\n")
	if strings.HasSuffix(lines[1], a.date) {
		return
	}
	columns := len(strings.Fields(lines[1])) - 1
	lines[1] += " " + a.date
	for i, line := range lines[2:] {
		name := strings.Fields(line)[0]
		lines[i+2] += " " + cmp.Or(from[name], "-")
		delete(from, name)
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		lines = append(lines, name+strings.Repeat(" -", columns)+" "+from[name])
	}
	a.write(methods, strings.Join(lines, "\n")+"\n")
}

// advise logs what no program can know.
func (a addition) advise(doc *ir.Document, report *diff.Report) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "- "+format+"\n", args...) }
	if doc.Protocol.Session != report.Old.Protocol.Session || doc.Protocol.Batch != report.Old.Protocol.Batch {
		line("%s has the line of the revision before; the new one begins sessions otherwise, or has other batches", table)
	}
	for _, c := range report.Changes {
		switch {
		case strings.HasPrefix(c.Path, "document/"), strings.HasSuffix(c.Path, "/description"):
		case strings.HasPrefix(c.Path, "methods/"), strings.HasPrefix(c.Path, "notifications/"):
			line("%s: %s: does runtime/mcp serve it, in route.go, or the methods of users?", c.Path, c.Text)
		case strings.HasPrefix(c.Path, "errors/"):
			line("%s: %s: which code has which revision, in runtime/mcp/errors.go?", c.Path, c.Text)
		case strings.Contains(c.Path, "Capabilities"):
			line("%s: %s: who declares it, in runtime/mcp/discover.go or runtime/mcp/mcpclient/options.go?", c.Path, c.Text)
		case c.OnWire().Verdict > diff.NotApplicable:
			line("%s: %s: does the runtime read or write it?", c.Path, c.Text)
		}
	}
	line("%s%s.yaml: what the definitions drop: deprecations, open enumerations, defaults, codes, statuses (docs/mcp.md, Corrections)", overlay, a.date)
	line("schema/mcp/%s.yaml: words for what is new, which TestDocumented asks for", a.date)
	line("%s: who sends what is new, against the source", methods)
	line("testdata/changes.txt: what the change log of the protocol says")
	line("runtime/mcp/era.go: a constant, which is a promise, once the revision is published")
	before := report.Old.Protocol.Revision
	line("README.md, docs/mcp.md, docs/mcp-server.md, docs/architecture.md: what they say of %s, as the newest; docs/mcp-conformance.md: the official suite", before)
	a.t.Logf("%d changes since %s. What a person has to decide:\n%s", len(report.Changes), before, &b)
}

// write writes a file below the root.
func (a addition) write(name, text string) {
	a.t.Helper()
	if err := os.MkdirAll(filepath.Dir(a.root+name), 0o777); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(a.root+name, []byte(text), 0o666); err != nil {
		a.t.Fatal(err)
	}
}

// edit replaces a text by one that has the revision, unless the file has that.
func (a addition) edit(name, from, to string) {
	a.t.Helper()
	text := string(read(a.t, a.root+name))
	switch {
	case strings.Contains(text, to):
	case strings.Contains(text, from):
		a.write(name, strings.Replace(text, from, to, 1))
	default:
		a.t.Fatalf("%s does not have %q", name, from)
	}
}

// withoutProse returns definitions without what they say in words, indented as the others.
func withoutProse(t *testing.T, source []byte) string {
	t.Helper()
	v, err := jsontree.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	var clean func(v *jsontree.Value)
	clean = func(v *jsontree.Value) {
		if v.In("description").Is(jsontree.Text) {
			*v = v.Without("description")
		}
		for _, part := range v.Parts() {
			clean(part)
		}
	}
	clean(v)
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(v.JSON()), "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}
