package jsonschema

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// conform writes the schema of a value that is kept as it is. Its references lead to its own root, so it is a document of its own where
// it has some. Draft-07 has no words for much of it: there, it is only shown.
func (e *exporter) conform(s *object, r *ir.Conform) {
	if e.Draft != Draft2020 {
		s.set("x-schema", value(r.Schema))
		return
	}
	all := new(object)
	if r.Schema.Kind != ir.Object && r.Schema.Text == "false" {
		all.set("not", new(object))
	}
	if refers(r.Schema) {
		e.embedded++
		all.set("$id", text(fmt.Sprintf("urn:rpcgen:schema:%d", e.embedded)))
	}
	for _, m := range Patterns(r.Schema, ECMA).Fields {
		all.set(m.Name, value(m.Value))
	}
	if len(s.members) > 0 {
		also(s, all)
		return
	}
	*s = *all
}

// refers reports whether there is a reference in a schema.
func refers(v ir.Value) bool {
	return slices.ContainsFunc(v.Items, refers) || slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return m.Name == "$ref" || refers(m.Value) })
}
