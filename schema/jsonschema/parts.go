package jsonschema

import (
	"bytes"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Parts writes schemas one by one, for a document of another kind that keeps the named types at a place of its own.
type Parts struct{ e *exporter }

// NewParts returns the parts of doc. Their references are at followed by the name of a type; at ends in a slash.
func NewParts(doc *ir.Document, o Options, at string) *Parts {
	e := newExporter(doc, o)
	e.at = at
	return &Parts{e}
}

// Type is the schema of a type.
func (p *Parts) Type(t ir.Type) (ir.Value, error) { return valueOf(p.e.schema(t)) }

// Field is the schema of a field, with its default and what is said of it.
func (p *Parts) Field(f *ir.Field) (ir.Value, error) { return valueOf(p.e.field(f)) }

// Declarations are the named types: those that the document declares, and the imported ones that were referred to so far.
func (p *Parts) Declarations() (ir.Value, error) {
	p.e.writeOwn()
	p.e.writeImported()
	if p.e.taken != nil {
		return ir.Value{}, p.e.taken
	}
	return valueOf(p.e.defs)
}

// valueOf is a node as a value of the model, which any other document can hold.
func valueOf(s *object) (ir.Value, error) {
	var out bytes.Buffer
	s.write(&out, "")
	return ir.ParseJSON(out.Bytes())
}
