package jsonschema

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// formKeywords are those that MCP's forms have (client/elicitation, requested schema).
var formKeywords = []string{"type", titleKey, descriptionKey, "minLength", "maxLength", "format", "minimum", "maximum", "enum", "oneOf",
	"items", "minItems", "maxItems", "default"}

// ExportForm writes what a user fills in as the requestedSchema of an elicitation, on one line. Rules that forms do not have are
// left to the server, which checks them.
func ExportForm(s *ir.Struct) ([]byte, error) {
	e := newExporter(&ir.Document{}, Options{})
	root := kindSchema("object")
	fields(root, s.Fields, e.formField)
	return oneLine(root)
}

func (e *exporter) formField(f *ir.Field) *object {
	all := e.describe(e.inline(f.Type), &f.Meta)
	switch t := ir.NonNull(f.Type).(type) {
	case *ir.Enum:
		choices(all, "oneOf", t)
	case *ir.List:
		items := kindSchema("string")
		choices(items, "anyOf", ir.NonNull(t.Elem).(*ir.Enum))
		all.set("items", items)
	}
	if f.Default != nil {
		all.set("default", value(*f.Default))
	}
	field := new(object)
	for _, m := range all.members {
		if slices.Contains(formKeywords, m.name) {
			field.set(m.name, m.value)
		}
	}
	return field
}

// choices writes the values of an enum: as constants under the keyword given when they have words of their own, else as a list.
func choices(s *object, keyword string, t *ir.Enum) {
	plain, titled := make(list, len(t.Values)), make(list, len(t.Values))
	words := false
	for i := range t.Values {
		v := &t.Values[i]
		title := cmp.Or(v.Title, v.Doc)
		words = words || title != ""
		title = cmp.Or(title, v.Value.Text)
		plain[i], titled[i] = value(v.Value), with("const", value(v.Value)).and(titleKey, text(title))
	}
	if words {
		s.set(keyword, titled)
	} else {
		s.set("enum", plain)
	}
}
