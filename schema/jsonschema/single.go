package jsonschema

import (
	"cmp"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// ExportType writes one type of doc as a JSON Schema of its own, on one line: with the definitions that it refers to, and no others.
func ExportType(doc *ir.Document, t ir.Type, o Options) ([]byte, error) {
	e := newExporter(doc, o)
	e.at = "#/" + e.container() + "/"
	e.partial = true
	return e.writeAlone(e.schema(t))
}

// writeAlone writes a schema with the definitions that it refers to.
func (e *exporter) writeAlone(root *object) ([]byte, error) {
	e.writeImported()
	if len(e.defs.members) > 0 {
		root.set(e.container(), e.defs)
	}
	text, err := oneLine(root)
	return text, cmp.Or(err, e.taken)
}
