package source

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// withNumericLimits writes limits as since draft-06, before which exclusiveMinimum: true said that minimum is not admitted, and patterns as RE2 has them.
func withNumericLimits(v ir.Value) ir.Value {
	for i, item := range v.Items {
		v.Items[i] = withNumericLimits(item)
	}
	for i, m := range v.Fields {
		if m.Name == "pattern" && m.Value.Kind == ir.Text {
			v.Fields[i].Value.Text = jsonschema.RE2(m.Value.Text)
		} else if !IsData(m.Name) {
			v.Fields[i].Value = withNumericLimits(m.Value)
		}
	}
	v.Fields = numericLimit(v.Fields, "exclusiveMinimum", "minimum")
	v.Fields = numericLimit(v.Fields, "exclusiveMaximum", "maximum")
	return v
}

// numericLimit replaces a limit and the boolean that says whether it is exclusive by one of them.
func numericLimit(all []ir.Member, exclusive, inclusive string) []ir.Member {
	is := func(name string) func(ir.Member) bool { return func(m ir.Member) bool { return m.Name == name } }
	at := slices.IndexFunc(all, is(exclusive))
	if at < 0 || all[at].Value.Kind != ir.Boolean {
		return all
	}
	limit := slices.IndexFunc(all, is(inclusive))
	if all[at].Value.Text != "true" || limit < 0 {
		return slices.Delete(all, at, at+1)
	}
	all[at].Value = all[limit].Value
	return slices.Delete(all, limit, limit+1)
}
