package jsonschema

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// ExportInput writes what a tool takes as a JSON Schema of its own, on one line. Its root is a plain object, since providers refuse others: relations
// between members are left to the server, which checks them. Members that the types of doc do not name are refused, unless a type says otherwise.
func ExportInput(doc *ir.Document, t ir.Type) ([]byte, error) {
	e := newExporter(doc, Options{})
	e.closed = true
	return e.tool(t)
}

// ExportOutput writes what a tool returns as a JSON Schema of its own, on one line, with a plain object as its root.
func ExportOutput(doc *ir.Document, t ir.Type) ([]byte, error) {
	return newExporter(doc, Options{}).tool(t)
}

func (e *exporter) tool(t ir.Type) ([]byte, error) {
	e.at = "#/$defs/"
	e.partial = true
	shape := e.schema(ir.NonNull(t))
	root := kindSchema("object")
	if !shape.has("properties") {
		root.set("properties", new(object))
	}
	for _, m := range shape.members {
		if !slices.Contains([]string{"anyOf", "oneOf", "allOf"}, m.name) {
			root.set(m.name, m.value)
		}
	}
	return e.writeAlone(root)
}

func oneLine(s *object) ([]byte, error) {
	var indented, out bytes.Buffer
	s.write(&indented, "")
	err := json.Compact(&out, indented.Bytes())
	return out.Bytes(), err
}

// inline writes a type without referring to its name.
func (e *exporter) inline(t ir.Type) *object {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return e.schema(t)
	}
	s := e.describe(e.inline(ref.Decl.Type), &ref.Decl.Meta)
	e.rules(s, ref.Rules, "Items")
	return s
}
