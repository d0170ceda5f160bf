package openapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Before is the schema that an earlier import wrote, with what people have changed since: which operations its tools call, and by which places.
type Before struct {
	file    string
	name    string // of the server
	tools   []*formerTool
	server  string                // of the first backend
	hosts   map[string]string     // names of backends by their servers
	schemes map[string]*yaml.Node // of all backends
	names   []string              // of these, in order
	called  []string              // names of all tools, those that people wrote among them
	options *yaml.Node            // what the last import went by
	errors  map[string]bool       // names of errors
}

// formerTool is a tool of the schema that is there.
type formerTool struct {
	name      string
	operation string                // as x-import has it
	now       string                // as the description calls it now
	line      string                // method and path of the request, without the names of its parts
	places    []string              // that the operation had then
	fields    map[string]string     // names of the fields of the input, by their places
	fixed     map[string]*yaml.Node // constants, by their places
	path      string                // of the request; empty if a handler in Go has taken its place
	names     []string              // of the fields of the input
	keep      bool                  // it stays, whatever the description says
	at        diag.Pos
}

// noteKey is the key of what an import notes of its source.
const noteKey = "x-import"

// ReadBefore reads the schema that is there; nil if none of its tools comes from a description.
func ReadBefore(out *source.Source) *Before {
	if out == nil || source.TextOnly {
		return nil
	}
	document := tree.Read(out.Text)
	if document == nil {
		return nil // what is wrong with it is reported when the import is merged into it
	}
	b := &Before{file: out.Name, schemes: map[string]*yaml.Node{}, hosts: map[string]string{}, options: tree.Get(tree.Get(document, noteKey), "options")}
	tree.Each(tree.Get(document, "backends"), func(name, backend *yaml.Node) {
		if server := tree.Get(backend, "server"); server != nil {
			b.server = cmp.Or(b.server, server.Value)
			b.hosts[server.Value] = name.Value
		}
		tree.Each(tree.Get(backend, "schemes"), func(name, scheme *yaml.Node) {
			if b.schemes[name.Value] == nil {
				b.names = append(b.names, name.Value)
			}
			b.schemes[name.Value] = scheme
		})
	})
	if name := tree.Get(tree.Get(document, "server"), "name"); name != nil {
		b.name = name.Value
	}
	declared := tree.KeysOf(tree.Get(document, "errors"))
	tree.Each(tree.Get(document, "tools"), func(key, tool *yaml.Node) {
		b.called = append(b.called, key.Value)
		declared = append(declared, tree.KeysOf(tree.Get(tool, "errors"))...)
		note := tree.Get(tool, noteKey)
		if operation := tree.Get(note, "operation"); operation != nil {
			t := &formerTool{name: key.Value, operation: operation.Value, places: tree.Words(tree.Get(note, "places")), fields: map[string]string{},
				fixed: map[string]*yaml.Node{},
				at:    diag.Pos{File: out.Name, Line: key.Line, Col: key.Column}}
			t.now, t.keep = t.operation, tree.Get(tool, "x-keep") != nil
			t.read(tool)
			b.tools = append(b.tools, t)
		}
	})
	if b.errors = convert.SetOf(declared); len(b.tools) == 0 {
		return nil
	}
	return b
}

// restoreOptions are options, with those that the last import went by where the command line says nothing else.
func (b *Before) restoreOptions(o Options) Options {
	var was Options
	if source.TextOnly || b == nil || b.options == nil {
		return o
	}
	b.options.Decode(&was) // a value that is none says nothing
	is := func(given, before bool, flag string) bool { return given || before && !slices.Contains(o.Given, flag) }
	o.FullText, o.NoPages = is(o.FullText, was.FullText, "--text"), is(o.NoPages, was.NoPages, "--page")
	o.NoBounds, o.Strict = is(o.NoBounds, was.NoBounds, "--bounds"), is(o.Strict, was.Strict, "--answers")
	o.Choose = is(o.Choose, was.Choose, "--choose")
	o.Depth, o.NameLength, o.Server = cmp.Or(o.Depth, was.Depth), cmp.Or(o.NameLength, was.NameLength), cmp.Or(o.Server, was.Server)
	if len(o.Schemes) == 0 {
		o.Schemes = was.Schemes
	}
	for _, said := range was.Keep {
		if !slices.Contains(o.Keep, said) {
			o.Keep = append(o.Keep, said)
		}
	}
	return o
}

// note writes the options that the next import goes by; nil if there are none.
func (o Options) note() *yaml.Node {
	if o.Depth == answerDepth {
		o.Depth = 0
	}
	if o.NameLength == longestName {
		o.NameLength = 0
	}
	var m yaml.Node
	if err := m.Encode(o); err != nil || len(m.Content) == 0 {
		return nil
	}
	m.Style = yaml.FlowStyle
	return &m
}

// read reads where the fields of the input stand in the request.
func (t *formerTool) read(tool *yaml.Node) {
	request := tree.Get(tool, "http")
	method, path := "", ""
	for _, m := range methods {
		if line := tree.Get(request, m); line != nil {
			method, path = m, line.Value
		}
	}
	t.path, t.line = path, method+" "+inBraces().ReplaceAllString(path, "{}")
	rule := "body"
	if method == "get" || method == "head" || method == "delete" {
		rule = "query"
	}
	tree.Each(tree.Get(tool, "input"), func(key, f *yaml.Node) {
		name := strings.TrimSuffix(key.Value, "?")
		t.names = append(t.names, name)
		in, as := rule, name
		if strings.Contains(path, "{"+name+"}") {
			in = "path"
		}
		switch place := tree.Get(f, "http"); {
		case place == nil:
		case place.Kind == yaml.ScalarNode && place.Value == "body":
			in, as = "body", ""
		case place.Kind == yaml.ScalarNode:
			in = place.Value
		default:
			for _, word := range []string{"query", "header", "body", "file"} {
				if n := tree.Get(place, word); n != nil {
					in = strings.Replace(word, "file", "body", 1)
					as = nameIn(word, n.Value)
				}
			}
		}
		t.fields[in+"."+as] = name
	})
	tree.Each(tree.Get(request, "fixed"), func(in, all *yaml.Node) {
		tree.Each(all, func(name, value *yaml.Node) { t.fixed[in.Value+"."+nameIn(in.Value, name.Value)] = value })
	})
}

// nameIn is what a place is called: of a path into the body that is one quoted name, that name.
func nameIn(word, path string) string {
	var names []string
	if word == "body" && json.Unmarshal([]byte(path), &names) == nil && len(names) == 1 {
		return names[0]
	}
	return path
}

// of is the tool of an operation; nil if it has none.
func (b *Before) of(op *operation) *formerTool {
	if b == nil || source.TextOnly {
		return nil
	}
	return ir.First(b.tools, func(t *formerTool) bool { return t.calls(op) })
}

// calls reports whether a tool is one of an operation. Where another operation has its id, an import before this version may have noted that.
func (t *formerTool) calls(op *operation) bool {
	return t.now == op.line() || t.now == op.id && op.id != "" && (!op.twice || t.line == op.place())
}

func (b *Before) has(op *operation) bool { return b.of(op) != nil }

// follow finds the operations that the description calls something else by now: those of the same method and path. It returns a note for each.
func (b *Before) follow(all []*operation) (notes []string) {
	if b == nil || source.TextOnly {
		return nil
	}
	lines := map[string]*operation{}
	for _, op := range all {
		if b.of(op) == nil {
			lines[op.place()] = op
		}
	}
	for _, t := range b.tools {
		if op := lines[t.line]; op != nil && t.goneFrom(all) {
			notes = append(notes, t.name+": the operation "+t.operation+" is called "+op.label()+" now")
			t.now = op.label()
		}
	}
	return notes
}

// goneFrom reports whether the operation of a tool is none of these.
func (t *formerTool) goneFrom(all []*operation) bool { return !slices.ContainsFunc(all, t.calls) }

func (b *Before) size() int {
	if b == nil {
		return 0
	}
	return len(b.tools)
}

// loss says that the operation of a tool cannot become one any more.
func (t *formerTool) loss(reason string) *source.Fault {
	return &source.Fault{Pos: t.at, Message: t.name + ": the operation can no longer become a tool: " + reason, Help: "x-keep: true in the tool keeps it as it is"}
}

// asBefore keeps to what the file has of an operation: what was removed stays away, names stay, and new places are taken if asked for, or fail if required.
func (b *toolBuilder) asBefore() error {
	t := b.l.before.of(b.op)
	if t == nil || source.TextOnly {
		return nil
	}
	named := t.namesFor(b.op.path)
	var stay []field
	var required []string
	for _, f := range b.fields {
		if f.in == "cursor" { // it is made of several places
			stay = append(stay, f)
			continue
		}
		place := f.in + "." + f.as
		name, there := named[place]
		if t.path == "" {
			name, there = f.name, slices.Contains(t.names, f.name)
		}
		switch {
		case there:
			if name != f.name && f.in == "path" {
				line := tree.Get(b.request, b.op.method)
				line.Value = strings.ReplaceAll(line.Value, "{"+f.name+"}", "{"+name+"}")
			}
			f.name = name
			stay = append(stay, f)
		case t.fixed[place] != nil: // a person gave it a constant, or the description did when it took no other value
			b.fix(f.in, f.path(), t.fixed[place])
		case f.required && !t.keep:
			required = append(required, strings.TrimSuffix(place, "."))
		case slices.Contains(t.places, place): // a person removed it
		case b.l.o.New:
			stay = append(stay, f)
		default:
			b.l.said.NotTaken = append(b.l.said.NotTaken, t.name+": "+place)
			b.places = slices.DeleteFunc(b.places, func(is string) bool { return is == place }) // New takes it later
		}
	}
	if len(required) > 0 {
		return source.Faults{{Pos: t.at, Message: t.name + ": the operation requires " + strings.Join(required, ", "),
			Help: "add it to the input, or give it under fixed; x-keep: true in the tool leaves it as it is"}}
	}
	b.fields = stay
	return nil
}

// namesFor are the names of the fields by their places, for a request with a path. Parts of it with other names are told apart by their order.
func (t *formerTool) namesFor(path string) map[string]string {
	had, has, names := placeholders(t.path), placeholders(path), maps.Clone(t.fields)
	was := slices.DeleteFunc(slices.Clone(had), func(name string) bool { return slices.Contains(has, name) })
	is := slices.DeleteFunc(slices.Clone(has), func(name string) bool { return slices.Contains(had, name) })
	for i := range is {
		if len(is) == len(was) {
			names["path."+is[i]] = was[i]
		}
	}
	return names
}

// placeholders are the names in a path.
func placeholders(path string) []string {
	return ir.Each(inBraces().FindAllStringSubmatch(path, -1), func(m []string) string { return m[1] })
}

// keepGone checks the tools whose operations are gone.
func (b *Before) keepGone(all []*operation, l *lowering) {
	for i := 0; i < len(b.tools) && !source.TextOnly; i++ {
		t := b.tools[i]
		switch {
		case t.keep || !t.goneFrom(all):
		case l.o.Prune:
			l.said.Gone = append(l.said.Gone, t.name+": "+t.operation)
		default:
			l.fail(&source.Fault{Pos: t.at, Message: t.name + ": the description no longer has the operation " + t.operation,
				Help: "--prune removes the tool, and x-keep: true in it keeps it"})
		}
	}
}

// Rename is the record of what the description said last, with the names that people have given tools and fields of inputs since. Further tools of one
// operation, such as copies under another name, are the file's own from then on.
func (b *Before) Rename(last *source.Source) *source.Source {
	if source.TextOnly || b == nil || last == nil {
		return last
	}
	document := tree.Read(last.Text)
	changed, tools := false, tree.Get(document, "tools")
	recorded := tree.KeysOf(tools)
	tree.Each(tools, func(key, tool *yaml.Node) {
		operation := tree.Get(tree.Get(tool, noteKey), "operation")
		if operation == nil {
			return
		}
		other := func(t *formerTool) bool { return t.operation == operation.Value && !slices.Contains(recorded, t.name) }
		at := slices.IndexFunc(b.tools, func(t *formerTool) bool { return t.operation == operation.Value && t.name == key.Value })
		if at < 0 {
			at = slices.IndexFunc(b.tools, other)
		}
		if at < 0 {
			return
		}
		t := b.tools[at]
		b.tools = slices.DeleteFunc(b.tools, func(copied *formerTool) bool { return copied != t && other(copied) })
		changed = t.renameIn(tool) || t.name != key.Value || changed
		key.Value = t.name
	})
	if !changed {
		return last
	}
	return &source.Source{Name: last.Name, Text: tree.Encode(document)}
}

// renameIn gives the fields of the input of a recorded tool the names that the file has for their places, and reports whether one has another.
func (t *formerTool) renameIn(recorded *yaml.Node) (changed bool) {
	r := &formerTool{fields: map[string]string{}, fixed: map[string]*yaml.Node{}}
	if r.read(recorded); t.path == "" {
		return false
	}
	named, names := t.namesFor(r.path), map[string]string{}
	for place, name := range r.fields {
		if is := named[place]; is != "" && is != name && (!slices.Contains(t.names, name) || !slices.Contains(r.names, is)) {
			names[name] = is
		}
	}
	tree.Each(tree.Get(recorded, "input"), func(key, _ *yaml.Node) {
		name, optional := strings.CutSuffix(key.Value, "?")
		if is := names[name]; is != "" {
			key.Value, changed = is, true
			if optional {
				key.Value += "?"
			}
		}
	})
	return changed
}
