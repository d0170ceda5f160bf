// Package tools imports the lists of an MCP server: tools, resources, templates and prompts, with what it says of itself.
//
//test:by ./cmd/rpcgen/internal/source/importer
package tools

import (
	"cmp"
	_ "embed" // the table
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// unknownVersion is the version of a server that a list of tools says nothing about: it is the author's to set.
const unknownVersion = "0.0.0"

// serverName makes a name of the source's: that of its file, without extension.
func serverName(source string) string {
	base := filepath.Base(source)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// toolsList imports the answer of an MCP server to tools/list. The schemas of a tool become types, whose references lead nowhere but into the schema itself.
type toolsList struct {
	d          *draft.Draft
	o          Options
	shared     map[string]bool // definitions that schemas of tools repeat, by their names
	subscribed bool            // the server tells clients of changes of its resources
}

// Import imports the answer of an MCP server to tools/list, and what it lists besides tools.
func Import(i *draft.Draft, root, tools source.Cursor, o Options) {
	i.Conv.Report.Layout = report.ToolsList
	i.Conv.Report.Definitions = len(tools.Items)
	if !i.Few(tools, len(tools.Items), "tools") {
		return
	}
	l := &toolsList{d: i, o: o, shared: sharedDefinitions(tools)}
	tree.Set(i.Doc.Head, "use", tree.Texts([]string{"mcp"}))
	if result, ok := root.Get("result"); ok {
		root = result
	}
	l.server(root)
	l.entries("tool", tools, l.tool)
	for _, list := range []struct {
		member, kind string
		entry        func(source.Cursor)
	}{{"resources", "resource", l.resource}, {"resourceTemplates", "resource template", l.resource}, {"prompts", "prompt", l.prompt}} {
		all, _ := root.Get(list.member)
		l.entries(list.kind, all, list.entry)
	}
	refused := func(tool source.Cursor) bool { return i.Conv.Decisions.Refused[tool.Pointer] != nil }
	if all := slices.DeleteFunc(tools.Elements(), func(tool source.Cursor) bool { return !o.Only.keeps(tool) }); len(all) > 0 &&
		len(i.Doc.Body["tools"].At) == 0 && !slices.ContainsFunc(all, func(tool source.Cursor) bool { return !refused(tool) }) {
		for _, tool := range all {
			i.Conv.Faults = append(i.Conv.Faults, i.Conv.Decisions.Refused[tool.Pointer])
		}
	}
}

// entries imports the entries of a list. One with a fault is left out, with a line in the report.
func (l *toolsList) entries(kind string, all source.Cursor, entry func(source.Cursor)) {
	for _, one := range all.Elements() {
		if !l.o.Only.keeps(one) {
			l.d.Conv.Report.Others = append(l.d.Conv.Report.Others, cmp.Or(namesOf(one)...))
			continue
		}
		if why := l.d.Conv.Decisions.Refused[one.Pointer]; why != nil {
			l.d.Conv.Report.Refused = append(l.d.Conv.Report.Refused, report.Refusal{Kind: kind, Name: one.TextOf("name"), Pointer: why.Pointer, Reason: why.Message})
			continue
		}
		before := len(l.d.Conv.Faults)
		entry(one)
		if len(l.d.Conv.Faults) > before {
			l.d.Conv.Decisions.Refused[one.Pointer] = l.d.Conv.Faults[before]
			l.d.Conv.Faults = l.d.Conv.Faults[:before]
		}
	}
}

// entryName is the name of an entry of a list, unless it has none, or another one of the section has it.
func (l *toolsList) entryName(kind, section string, one source.Cursor) (name string, ok bool) {
	if name = one.TextOf("name"); name == "" {
		l.d.Conv.Fault(one, "", "a %s needs a name", kind)
		return "", false
	}
	if _, twice := l.d.ListedAt[section+"/"+name]; twice {
		l.d.Conv.Fault(one, "", "the %s %q is there twice", kind, name)
		return "", false
	}
	l.d.ListedAt[section+"/"+name] = one
	return name, true
}

// tool imports one tool.
func (l *toolsList) tool(tool source.Cursor) {
	name, ok := l.entryName("tool", "tools", tool)
	if !ok {
		return
	}
	m := tree.Mapping()
	setTexts(m, tool, "title", "description")
	l.hints(m, tool)
	l.icons(m, tool)
	l.toolTypes(m, name, tool)
	l.toolTask(m, tool)
	if meta, ok := tool.Get("_meta"); ok {
		tree.Set(m, "meta", tree.Value(meta.Value))
	}
	l.ignoreOthers(tool, "Tool")
	l.d.Declare("tools", name, m, tool)
}

// hints are the annotations that say how a tool behaves.
func (l *toolsList) hints(m *yaml.Node, tool source.Cursor) {
	known := map[string]string{"readOnlyHint": "readOnly", "destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "openWorld"}
	hints := tree.Mapping()
	for _, a := range tool.MembersOf("annotations") {
		if key := known[a.Name]; key != "" && a.Kind == ir.Boolean {
			tree.Set(hints, key, tree.Plain(a.Text))
		} else if a.Name == "title" && a.Kind == ir.Text {
			tree.Set(hints, a.Name, tree.Text(a.Text))
		} else {
			l.d.Conv.Report.Ignore(a.Pointer)
		}
	}
	tree.SetSome(m, "hints", hints)
}

// toolTask says whether the tool runs as a task, see ToolExecution of revision 2025-11-25.
func (l *toolsList) toolTask(m *yaml.Node, tool source.Cursor) {
	for _, e := range tool.MembersOf("execution") {
		switch {
		case e.Name == "taskSupport" && (e.Text == "optional" || e.Text == "required"):
			tree.Set(m, "task", tree.Plain(e.Text))
		case e.Name != "taskSupport" || e.Text != "forbidden":
			l.d.Conv.Report.Ignore(e.Pointer)
		}
	}
}

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the fields of what is listed.
var Fields = source.ReadFields(fieldsText)

// ignoreOthers reports what of an entry, and of what it holds, says nothing to the language.
func (l *toolsList) ignoreOthers(one source.Cursor, object string) {
	Fields().VisitUnused(nil, func(p source.Part) { l.d.Conv.Report.Ignore(p.Pointer) }, source.Place{Part: source.Part{Cursor: one}, Object: object})
}

// setTexts takes over members that are text.
func setTexts(m *yaml.Node, one source.Cursor, names ...string) {
	for _, name := range names {
		tree.SetSome(m, name, tree.Text(one.TextOf(name)))
	}
}

// icons takes over the images that stand for an entry.
func (l *toolsList) icons(m *yaml.Node, one source.Cursor) {
	list := tree.Flow()
	for _, icon := range one.ElementsOf("icons") {
		known := tree.Mapping()
		for _, part := range icon.Members() {
			switch {
			case part.Name == "sizes" && part.Kind == ir.Text: // as drafts of 2025-11-25 have it
				tree.Set(known, part.Name, tree.Texts(strings.Fields(part.Text)))
			case Fields().Of("Icon", part.Name).Use == source.Used:
				tree.Set(known, part.Name, tree.Value(part.Value))
			}
		}
		list.Content = append(list.Content, known)
	}
	tree.SetSome(m, "icons", list)
}

// toolTypes writes what a tool takes and gives.
func (l *toolsList) toolTypes(m *yaml.Node, name string, tool source.Cursor) {
	words := tree.JoinWords(name)
	if s, ok := tool.Get("inputSchema"); ok && l.d.Conv.Decisions.Verbatim[name] {
		any := tree.With("fields", tree.Mapping())
		tree.Set(any, "additional", tree.Text("any"))
		l.d.Doc.Declare("types", words+"Input", any)
		tree.Set(m, "input", tree.Text(words+"Input"))
		tree.Set(m, "inputSchema", tree.Value(s.Value))
	} else if ok {
		l.toolType(m, "input", words+"Input", s)
	}
	s, ok := tool.Get("outputSchema")
	switch {
	case ok && l.d.Conv.Decisions.OpaqueAt[s.Pointer] == "":
		l.toolType(m, "output", words+"Output", s)
		return
	case ok:
		l.d.Conv.Report.AddOpaque(s.Pointer, l.d.Conv.Decisions.OpaqueAt[s.Pointer])
		l.d.Untyped[name] = report.UntypedTool{Tool: name, Pointer: tool.Pointer, Reason: "its outputSchema is opaque"}
	default:
		l.d.Untyped[name] = report.UntypedTool{Tool: name, Pointer: tool.Pointer, Reason: "it has no outputSchema"}
	}
	tree.Set(m, "content", tree.Text("any")) // so that clients get the result
}

// toolType writes a schema in place where it is no more than fields, and declares a type of it otherwise; its definitions are types in any case.
func (l *toolsList) toolType(m *yaml.Node, key, name string, s source.Cursor) {
	l.d.Conv.Resolver.Base, l.d.Conv.Resolver.OnlyRef = s, source.OnlyRef(s)
	name = l.d.FreeName(tree.NameOf(name), s, l.d.Doc.Body["types"])
	root := &draft.Definition{Member: source.Member{Name: name, Cursor: s}, IsType: true}
	types := []*draft.Definition{root}
	repeated := map[*draft.Definition]bool{}
	for _, d := range definitionsOf(s) {
		own := &draft.Definition{Member: source.Member{Name: name + tree.JoinWords(d.Name), Cursor: d.Cursor}, IsType: true}
		if l.shared[d.Name] {
			own.Name, repeated[own] = tree.JoinWords(d.Name), true
		} else {
			own.Name = l.d.FreeName(tree.NameOf(own.Name), d.Cursor, l.d.Doc.Body["types"])
		}
		types = append(types, own)
	}
	l.d.NameTypes(types)
	whole, recursive := l.d.Conv.Schema(s, convert.Declared), false
	for _, d := range types[1:] {
		if d.IsType {
			if l.d.Doc.Body["types"].Get(l.d.Conv.Names[d.Pointer]) == nil || !repeated[d] {
				l.d.DeclareType(l.d.Conv.Names[d.Pointer], d.Cursor)
			}
			recursive = recursive || refersTo(l.d.Doc.Body["types"].Get(l.d.Conv.Names[d.Pointer]), name)
		}
	}
	if whole.Kind == yaml.ScalarNode && l.d.Doc.Body["types"].Get(whole.Value) != nil {
		l.d.Conv.Origins[whole] = s // the schema is one of its definitions
		tree.Set(m, key, whole)
		return
	}
	fields := inPlace(whole, key)
	l.open(m, types, whole, key, fields != nil && !recursive && !refersTo(fields, name))
	if fields == nil || recursive || refersTo(fields, name) {
		l.d.Doc.Declare("types", name, whole)
		ref := tree.Text(name)
		l.d.Conv.Origins[ref] = s
		tree.Set(m, key, ref)
		return
	}
	if len(fields.Content) > 0 || key == "output" || tree.Get(m, "unknown") != nil {
		tree.Set(m, key, fields)
	}
}

// open says what becomes of further members that a source takes: inputs in place ignore them; objects within closed ones, and named types, keep them.
func (l *toolsList) open(m *yaml.Node, types []*draft.Definition, whole *yaml.Node, key string, inPlace bool) {
	if key != "input" {
		return
	}
	for _, d := range types[1:] {
		if n := l.d.Doc.Body["types"].Get(l.d.Conv.Names[d.Pointer]); d.IsType && n != nil {
			keepOthers(n)
		}
	}
	switch {
	case inPlace && tree.Get(whole, "additional") == nil && len(openIn(whole, typePlace)) > 0:
		tree.Set(m, "unknown", tree.Plain("ignore"))
		l.d.Conv.Report.Open = append(l.d.Conv.Report.Open, types[0].Pointer)
	default:
		keepOthers(whole)
	}
}

// keepOthers has the objects that are written in a type keep members that they do not name, where they do not say what becomes of them.
func keepOthers(n *yaml.Node) {
	for _, object := range openIn(n, typePlace) {
		tree.Set(object, "additional", tree.Text("any"))
	}
}

// typePlace is where a type stands.
var typePlace = grammar.Schema(grammar.Declared)

// openIn are the objects within a schema that have fields, and do not say what becomes of other members.
func openIn(n *yaml.Node, place *grammar.Place) (open []*yaml.Node) {
	if place == nil || place == grammar.Data() {
		return nil
	}
	tree.Each(n, func(key, value *yaml.Node) { open = append(open, openIn(value, place.Value(key.Value))...) })
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			open = append(open, openIn(item, place.Items)...)
		}
	}
	if place.Key("union") != nil && (tree.Get(n, "fields") != nil || tree.Get(n, "properties") != nil) && tree.Get(n, "additional") == nil {
		open = append(open, n)
	}
	return open
}

// inPlace are the fields of a type that says nothing else; nil when it does. Input refuses what it does not name as it is.
func inPlace(whole *yaml.Node, key string) *yaml.Node {
	if whole == nil || whole.Kind != yaml.MappingNode {
		return nil
	}
	for _, k := range tree.KeysOf(whole) {
		closed := k == "additional" && key == "input" && tree.Get(whole, k).Value == "false"
		if k != "fields" && !closed {
			return nil
		}
	}
	return tree.Get(whole, "fields")
}

// refersTo reports whether a schema names a type.
func refersTo(n *yaml.Node, name string) bool {
	if n.Kind == yaml.ScalarNode {
		return strings.Contains(n.Value, name) && slices.Contains(strings.FieldsFunc(n.Value,
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }), name)
	}
	return slices.ContainsFunc(n.Content, func(part *yaml.Node) bool { return refersTo(part, name) })
}
