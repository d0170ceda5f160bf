package convert

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// fittingValues is a schema of listed values without those that its other keywords refuse, and without these keywords.
func (c *Converter) fittingValues(s source.Cursor) (listed source.Cursor, reason string) {
	values := source.ValuesOf(s)
	if values == nil || !source.HasAny(s.Without([]string{"const", "enum", "type"}), source.Checks) && s.Has("const") != s.Has("enum") && ofType(s, values) {
		return s, ""
	}
	whole, reason := c.bundleSchema(s, s.Pointer)
	if reason != "" {
		return s, reason
	}
	if faults := judge.SchemaFaults(whole); len(faults) > 0 {
		return s, faults[0].Message
	}
	schema, all := judge.Compile(whole), values
	values = nil
	for _, v := range all {
		fits, known := schema.ConformsSoon(v)
		if !known {
			return s, "comparing its values with its other keywords takes too long"
		}
		if fits {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return s, "no value fits it"
	}
	listed = s.Without(source.Checks)
	listed.Fields = append(listed.Fields, ir.Member{Name: "enum", Value: ir.Value{Pos: s.Pos, Kind: ir.Array, Items: values}})
	return listed, ""
}

// ofType reports whether all values are of the kinds that `type` names.
func ofType(s source.Cursor, values []ir.Value) bool {
	t, ok := s.Get("type")
	if !ok {
		return true
	}
	only := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "type", Value: t.Value}}}
	if len(judge.SchemaFaults(only)) > 0 {
		return true // a fault of the source
	}
	schema := judge.Compile(only)
	return !slices.ContainsFunc(values, func(v ir.Value) bool { return !schema.Conforms(v) })
}

// constant converts const.
func constant(m *yaml.Node, s source.Cursor) string {
	v, _ := s.Get("const")
	switch v.Kind {
	case ir.Array, ir.Object:
		return "a constant list or object cannot become a Go type"
	case ir.Null:
		tree.Set(m, "type", tree.Text("null"))
	default:
		tree.Set(m, "const", tree.Value(v.Value))
	}
	return ""
}

// enum converts a list of values: all text, or all integers, and perhaps null.
func (c *Converter) enum(m *yaml.Node, s source.Cursor) string {
	all, _ := s.Get("enum")
	if all.Kind != ir.Array || len(all.Items) == 0 {
		c.Fault(all, "", "enum must be a list of values")
		return ""
	}
	var values []ir.Value
	type value struct {
		kind ir.Kind
		text string
	}
	seen := map[value]bool{}
	for _, v := range all.Items {
		if is := (value{v.Kind, v.Text}); !seen[is] {
			seen[is] = true
			values = append(values, v)
		}
	}
	before := len(values)
	values = slices.DeleteFunc(values, func(v ir.Value) bool { return v.Kind == ir.Null })
	nullable := len(values) < before
	if reason := enumOf(m, values); reason != "" {
		return reason
	}
	if nullable && len(values) > 0 {
		AllowNull(m)
	}
	return ""
}

func enumOf(m *yaml.Node, values []ir.Value) string {
	kind := ir.Null
	for i, v := range values {
		if i > 0 && v.Kind != kind {
			return enumOfKinds(m, values)
		}
		kind = v.Kind
	}
	switch {
	case kind == ir.Null:
		tree.Set(m, "type", tree.Text("null"))
	case kind == ir.Boolean && len(values) == 2:
		tree.Set(m, "type", tree.Text("boolean"))
	case kind == ir.Array || kind == ir.Object || kind == ir.Number && len(values) > 1:
		return fmt.Sprintf("an enum of kind %s cannot become a Go type", kind)
	case len(values) == 1:
		tree.Set(m, "const", tree.Value(values[0]))
	default:
		tree.Set(m, "enum", tree.Value(ir.Value{Kind: ir.Array, Items: values}))
	}
	return ""
}

// enumOfKinds converts a list of values of several kinds to a union with a branch for each kind.
func enumOfKinds(m *yaml.Node, values []ir.Value) string {
	branches := tree.Flow()
	for _, kind := range []ir.Kind{ir.Text, ir.Integer, ir.Number, ir.Boolean, ir.Array, ir.Object} {
		of := slices.DeleteFunc(slices.Clone(values), func(v ir.Value) bool { return v.Kind != kind })
		if len(of) == 0 {
			continue
		}
		if kind == ir.Number { // it meets integers, which have a branch of their own
			return "an enum of several kinds, numbers among them, cannot become a Go type"
		}
		b := tree.Mapping()
		if reason := enumOf(b, of); reason != "" {
			return reason
		}
		branches.Content = append(branches.Content, Short(b, Inner))
	}
	tree.Set(m, "union", branches)
	return ""
}
