// Package jsonschema writes the checked model as JSON Schema: draft 2020-12, or draft-07 for readers that know no newer one.
//
// The document has a definition for every named type, for the data of every error, and for the params and the result of
// every method, in the author's order:
//
//	Report                  the type Report
//	common.Item             the type Item of the file that is imported as common
//	weather/current params  the params of the method weather/current
//	weather/current result  its result
//	CityNotFound data       the data of the error CityNotFound
//	search_items input      the input of the tool search_items
//	search_items output     its output
//	catalogue content       the content of the resource catalogue, where it is JSON
//	item params             the variables of the template item
//	review_order arguments  the arguments of the prompt review_order
//
// Mixins have no definition of their own: what extends them holds their fields, as it holds those of every other base.
//
// A value fits a definition exactly when the interpreter of the model (package judge) finds nothing wrong with it, but for
// what [Options.Exact] adds: limits that come from Go and not from the author.
//
//test:sequential
package jsonschema

import (
	"bytes"
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Draft is a version of JSON Schema.
type Draft uint8

// The versions that can be written.
const (
	Draft2020 Draft = iota // 2020-12
	Draft7                 // draft-07
)

// Options say how a document is exported. The zero Options are for publishing it.
type Options struct {
	Draft Draft

	// Exact adds what decoders refuse beyond what the author wrote: integers outside 64 bits, numbers outside float64, text
	// that is not base64. It also lets a union by context be anything, for no decoder can tell its branches apart. Exact
	// schemas are for checking that two implementations agree; to publish, the shorter form says what is meant.
	Exact bool
}

// Export writes doc as one JSON Schema document, indented, with a newline at its end.
func Export(doc *ir.Document, o Options) ([]byte, error) {
	e := newExporter(doc, o)
	e.at = "#/" + e.container() + "/"
	root, err := e.document(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	root.write(&out, "")
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// exporter writes one document.
type exporter struct {
	Options
	doc      *ir.Document
	at       string                  // what leads the name of a definition in a reference
	prefixes map[*ir.Document]string // what leads the names of an imported file's types
	defs     *object
	exported map[*ir.Decl]bool
	pending  []*ir.Decl // types that are referred to and not written yet
	embedded int        // how many schemas with references of their own were written
	partial  bool       // own types are written only when they are referred to, and x-* is not
	closed   bool       // objects of this file refuse members that they do not name, unless they say otherwise
	foreign  bool       // what is being written belongs to an imported file
	taken    error      // the first name that two definitions would share
}

func newExporter(doc *ir.Document, o Options) *exporter {
	e := &exporter{Options: o, doc: doc, prefixes: map[*ir.Document]string{doc: ""}, defs: new(object), exported: map[*ir.Decl]bool{}}
	e.name(doc, "")
	return e
}

func (e *exporter) document(doc *ir.Document) (*object, error) {
	root := with("$schema", text(map[Draft]string{
		Draft2020: "https://json-schema.org/draft/2020-12/schema",
		Draft7:    "http://json-schema.org/draft-07/schema#",
	}[e.Draft]))
	e.meta(root, &doc.Meta)
	e.writeOwn()
	for _, err := range doc.Errors {
		e.part(err.Name+" data", err.Data, &err.Meta)
	}
	e.mcp(doc)
	for _, m := range doc.Methods {
		e.part(m.Name+" params", m.Params, &m.Meta)
		if m.Items != nil {
			e.part(m.Name+" items", m.Items.Type, &m.Meta)
		}
		if m.Result == nil && !m.Notification && (m.Items == nil || !m.Items.First) {
			e.define(m.Name+" result", e.describe(kindSchema("object"), &m.Meta))
		}
		e.part(m.Name+" result", m.Result, &m.Meta)
	}
	e.writeImported()
	root.set(e.container(), e.defs)
	return root, e.taken
}

// writeOwn writes the types that the document declares.
func (e *exporter) writeOwn() {
	for _, d := range e.doc.Types {
		if !d.Mixin {
			e.declaration(d)
		}
	}
}

// writeImported writes the types of other files that were referred to, and those that they refer to.
func (e *exporter) writeImported() {
	for len(e.pending) > 0 {
		next := e.pending[0]
		e.pending = e.pending[1:]
		e.declaration(next)
	}
}

// container is the keyword that holds the definitions.
func (e *exporter) container() string {
	if e.Draft == Draft7 {
		return "definitions"
	}
	return "$defs"
}

// name gives every imported file the prefix of its types: the aliases that lead to it, the first way counts.
func (e *exporter) name(doc *ir.Document, prefix string) {
	for _, i := range doc.Imports {
		if _, known := e.prefixes[i.Doc]; i.Doc == nil || known {
			continue
		}
		e.prefixes[i.Doc] = prefix + i.Alias + "."
	}
	for _, i := range doc.Imports {
		if i.Doc != nil && e.prefixes[i.Doc] == prefix+i.Alias+"." {
			e.name(i.Doc, prefix+i.Alias+".")
		}
	}
}

func (e *exporter) declaration(d *ir.Decl) {
	if e.exported[d] {
		return
	}
	e.exported[d] = true
	e.foreign = d.Document != e.doc
	s := e.describe(e.schema(d.Type), &d.Meta)
	examples(s, d.Examples)
	e.define(e.nameOf(d), s)
}

// nameOf is the name of a type among the definitions.
func (e *exporter) nameOf(d *ir.Decl) string { return e.prefixes[d.Document] + d.Name }

func (e *exporter) define(name string, s *object) {
	if e.defs.has(name) && e.taken == nil {
		e.taken = fmt.Errorf("two definitions would be called %q", name)
	}
	e.defs.set(name, s)
}

// part defines a type of something that has words of its own, where it has that type.
func (e *exporter) part(name string, t ir.Type, m *ir.Meta) {
	if t != nil {
		e.define(name, e.describe(e.schema(t), m))
	}
}

// reference refers to a named type, and sees to it that an imported one is written too.
func (e *exporter) reference(d *ir.Decl) *object {
	if (e.partial || d.Document != e.doc) && !e.exported[d] {
		e.pending = append(e.pending, d)
	}
	return with("$ref", text(e.at+fragment(e.nameOf(d))))
}
