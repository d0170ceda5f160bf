package convert

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// narrowed is an object schema whose `not` moved into the property that it is about, where it excludes constants of one required property:
// {properties: {kind: {type: string}}, required: [kind], not: {properties: {kind: {const: a}}}} admits what
// {properties: {kind: {type: string, not: {enum: [a]}}}, required: [kind]} admits. Generators for tagged unions write such a branch for all
// other tags. Other schemas stay as they are.
func narrowed(s source.Cursor) source.Cursor {
	not, ok := s.Get("not")
	if !ok || s.TextOf("type") != "object" {
		return s
	}
	excluded := []source.Cursor{not}
	if all, ok := not.Get("anyOf"); ok && !source.HasAny(not.Without([]string{"anyOf"}), source.Checks) {
		excluded = all.Elements()
	}
	var name string
	var values []ir.Value
	for _, e := range excluded {
		of, listed := constantsOf(e)
		if len(listed) == 0 || name != "" && of != name {
			return s
		}
		name, values = of, append(values, listed...)
	}
	properties, _ := s.Get("properties")
	property, ok := properties.Get(name)
	if !ok || property.Kind != ir.Object || property.Has("not") || property.Has("$ref") || !requires(s, name) {
		return s
	}
	enum := ir.Value{Pos: not.Pos, Kind: ir.Array, Items: values}
	exclusion := ir.Value{Pos: not.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "enum", Value: enum}}}
	property.Fields = append(slices.Clone(property.Fields), ir.Member{Name: "not", Value: exclusion})
	properties = properties.With(name, property.Value)
	return s.Without([]string{"not"}).With("properties", properties.Value)
}

// constantsOf returns the property of an object schema that has constants, and these, where the schema says nothing else.
func constantsOf(s source.Cursor) (name string, values []ir.Value) {
	properties, _ := s.Get("properties")
	if len(properties.Fields) != 1 || s.Has("type") && s.TextOf("type") != "object" || source.HasAny(s.Without([]string{"type", "properties", "required"}), source.Checks) {
		return "", nil
	}
	property := properties.Members()[0]
	listed := source.ValuesOf(property.Cursor)
	if required, ok := s.Get("required"); ok && (len(required.Items) != 1 || required.Items[0].Text != property.Name) ||
		!ofType(property.Cursor, listed) || source.HasAny(property.Without([]string{"type", "const", "enum"}), source.Checks) {
		return "", nil
	}
	return property.Name, listed
}

// requires reports whether an object schema requires a property.
func requires(s source.Cursor, name string) bool {
	required, _ := s.Get("required")
	return slices.ContainsFunc(required.Items, func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == name })
}
