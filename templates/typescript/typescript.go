// Package typescript turns the checked model of a schema into TypeScript: types, validators, calls of methods and calls of tools, each in a
// module of its own. What the modules share is written by hand, in the folder lib, and copied.
//
// Types have the names that they have in Go. The text is laid out as prettier lays it out.
//
//test:sequential
package typescript

import (
	"cmp"
	"embed"
	"path"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

//go:embed lib/*.ts
var library embed.FS

// Options steer generation. The zero value generates what a client needs.
type Options struct {
	// BigInt: 64-bit integers, and integers of ids, are number | bigint, and none is refused because a number of JavaScript does not hold it.
	BigInt bool
}

// Generate returns the modules for doc, in a fixed order; one that has nothing to say has no file. The diagnostics tell what cannot be
// named; with errors among them there are no files.
func Generate(doc *ir.Document, opts Options) ([]templates.File, diag.List) {
	names, diags := templates.NewNames(doc)
	if diags.HasErrors() {
		return nil, diags
	}
	for _, o := range doc.Methods {
		if o.Items != nil && o.From == ir.FromServer {
			diags = append(diags, diag.Diagnostic{Code: diag.ConflictingKeys, Span: diag.Span{Pos: o.Key("items"), Len: len("items")},
				Message: strconv.Quote(o.Name) + " is a stream that clients send, for which no TypeScript is generated yet",
				Help:    "generate Go, or take the method out of a schema for TypeScript"})
		}
		if o.Wire != "" {
			diags = append(diags, diag.Diagnostic{Code: diag.ConflictingKeys, Span: diag.Span{Pos: o.Key("wire"), Len: len("wire")},
				Message: strconv.Quote(o.Name) + " has another name on the wire, for which no TypeScript is generated yet",
				Help:    "generate Go, or take the method out of a schema for TypeScript"})
		}
	}
	if diags.HasErrors() {
		return nil, diags
	}
	m := newModule(doc, names, opts)
	calls, tools := m.client(), m.tools()
	types, checks := m.modules()
	files := []templates.File{m.file("types", types), m.file("validate", checks)}
	if calls != "" {
		files = append(files, m.file("client", calls), m.runtime("peer"))
	}
	if m.streams {
		files = append(files, m.runtime("streams"))
	}
	if tools != "" {
		files = append(files, m.file("tools", tools), m.runtime("mcp"))
	}
	files = append(files, m.runtime("json"), m.runtime("rules", "rules_scalars", "rules_parts", "rules_unions", "rules_limits", "rules_formats", "rules_straight"))
	if m.conforms {
		files = append(files, m.runtime("conform"))
	}
	return files, diags
}

// FileNames are the names that generated files may have.
var FileNames = []string{"types.ts", "validate.ts", "client.ts", "tools.ts", "peer.ts", "streams.ts", "mcp.ts", "json.ts", "rules.ts", "conform.ts"}

// biomeOff keeps Biome, whose rules are for code written by hand, from the files.
const biomeOff = "// biome-ignore-all lint: generated\n"

func (m *module) file(name, body string) templates.File {
	text := "// " + templates.Header(m.doc.File) + "\n" + biomeOff + "\n" + strings.TrimRight(body, "\n") + "\n"
	return templates.File{Name: name + ".ts", Text: []byte(text)}
}

// runtime is a module that is the same for all schemas: a file and its parts in order, which use each other.
func (m *module) runtime(names ...string) templates.File {
	var texts []string
	for _, name := range names {
		text, err := library.ReadFile("lib/" + name + ".ts")
		if err != nil {
			panic(err) // it is embedded
		}
		texts = append(texts, string(text))
	}
	return m.file(names[0], strings.Join(texts, "\n"))
}

// module is what everything of a document is called in TypeScript.
type module struct {
	doc   *ir.Document
	names *templates.Names
	opts  Options

	entries  []*entry
	byDecl   map[*ir.Decl]*entry
	byType   map[ir.Type]*entry
	taken    map[string]bool
	patterns *patterns
	fast     *straight
	conforms bool // a value must fit a JSON Schema
	decimals bool // a type is a decimal
	unknowns bool // a union takes tags that it does not know
	streams  bool // a method is a stream
}

// entry is a type with a name of its own.
type entry struct {
	name string
	typ  ir.Type
	meta *ir.Meta
	said string // what it is, if its author does not say
}

func newModule(doc *ir.Document, names *templates.Names, opts Options) *module {
	m := &module{doc: doc, names: names, opts: opts, byDecl: map[*ir.Decl]*entry{}, byType: map[ir.Type]*entry{}, patterns: newPatterns(),
		taken: map[string]bool{decimalName: true, unknownName: true}}
	byType := map[ir.Type]*ir.Decl{}
	for _, d := range doc.Types {
		byType[d.Type] = d
	}
	for _, t := range names.Types() {
		e := m.add(t.Name, t.Type, t.Meta, t.What)
		if d := byType[t.Type]; d != nil {
			m.byDecl[d] = e
			if !isStructured(t.Type) {
				delete(m.byType, t.Type)
			}
		}
	}
	for _, d := range doc.Types {
		if d.Go.Bound() && !d.Mixin {
			m.entryOf(d)
		}
	}
	return m
}

// decimalName is what the library calls the type of decimals.
const decimalName = "Decimal"

// unknownName is what the library calls the type of tags that a schema does not know.
const unknownName = "UnknownTag"

// add gives a type a name that is free.
func (m *module) add(name string, t ir.Type, meta *ir.Meta, what string) *entry {
	for m.taken[name] {
		name += "_"
	}
	m.taken[name] = true
	e := &entry{name: name, typ: t, meta: meta, said: what}
	m.entries = append(m.entries, e)
	m.byType[t] = e
	return e
}

// entryOf returns the entry of a declaration, which may be one of an imported schema.
func (m *module) entryOf(d *ir.Decl) *entry {
	if e := m.byDecl[d]; e != nil {
		return e
	}
	name := m.names.Declared(d)
	if name == "" || d.Go.Bound() {
		name = templates.Exported(m.doc, d.Name)
	}
	if d.Document != m.doc && d.Document != nil {
		name = templates.Exported(m.doc, d.Document.Package) + name
	}
	e := m.add(name, d.Type, &d.Meta, "")
	m.byDecl[d] = e
	if !isStructured(d.Type) {
		delete(m.byType, d.Type)
	}
	return e
}

// namedEntry returns the entry of a type that has a name of its own; nil if it has none.
func (m *module) namedEntry(t ir.Type) *entry {
	if ref, ok := t.(*ir.Ref); ok {
		return m.entryOf(ref.Decl)
	}
	if e := m.byType[t]; e != nil {
		return e
	}
	if !isStructured(t) {
		return nil
	}
	name, what := "Inline", "is a type of an imported schema"
	if own, ok := m.names.Named(t); ok {
		name, what = own.Name, own.What
		if own.Package != "" {
			name = templates.Exported(m.doc, path.Base(own.Package)) + name
		}
	}
	return m.add(name, t, ir.NoteOf(t), what)
}

// nameIt adds a type that is written in place of what has a name.
func (m *module) nameIt(t ir.Type, name, what string) {
	if isStructured(t) && m.byType[t] == nil {
		if _, ok := m.names.Named(t); !ok {
			m.add(name, t, nil, what)
		}
	}
}

// isStructured reports whether a type that is written in place gets a name.
func isStructured(t ir.Type) bool {
	switch t.(type) {
	case *ir.Struct, *ir.Enum, *ir.Union, *ir.Tuple:
		return true
	}
	return false
}

// modules writes types and validators. Both are asked for before either is complete: what they refer to may have to be declared.
func (m *module) modules() (types, checks string) {
	var ts, vs []doc
	m.fast = &straight{module: m, declared: map[string]string{}, asked: map[*entry]bool{}}
	for i := 0; i < len(m.entries); i++ { // what they refer to may be added
		ts = append(ts, m.declaration(m.entries[i]))
		vs = append(vs, m.fast.validator(m.entries[i])...)
	}
	body := render(concat{join(concat{hardline{}, hardline{}}, ts)})
	var used []string
	if m.decimals {
		used = append(used, decimalName)
	}
	if m.unknowns {
		used = append(used, unknownName)
	}
	if len(used) > 0 {
		body = "import type { " + strings.Join(used, ", ") + " } from \"./json.js\";\n\n" + body
	}
	types = cmp.Or(body, "export {};")
	vs = append(append(vs, m.checks()...), m.fast.rest()...)
	vs = append(m.fast.all, vs...)
	if len(vs) == 0 {
		return types, "export {};"
	}
	head := []doc{}
	if m.conforms {
		head = append(head, `import { conform } from "./conform.js";`)
	}
	head = append(head, `import * as r from "./rules.js";`)
	if m.streams {
		head = append(head, `import type { StreamChecks } from "./streams.js";`)
	}
	head = append(head, `import type * as t from "./types.js";`)
	all := concat{join(hardline{}, head), hardline{}}
	for _, v := range vs {
		all = append(all, hardline{}, v, hardline{})
	}
	return types, render(all)
}
