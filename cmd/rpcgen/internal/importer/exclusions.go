package importer

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// narrowed is an object schema whose `not` moved into the property that it is about, where it excludes constants of one required property:
// {properties: {kind: {type: string}}, required: [kind], not: {properties: {kind: {const: a}}}} admits what
// {properties: {kind: {type: string, not: {enum: [a]}}}, required: [kind]} admits. Generators for tagged unions write such a branch for all
// other tags. Other schemas stay as they are.
func narrowed(s cursor) cursor {
	not, ok := s.get("not")
	if !ok || s.text("type") != "object" {
		return s
	}
	excluded := []cursor{not}
	if all, ok := not.get("anyOf"); ok && !hasAny(not.without([]string{"anyOf"}), checks) {
		excluded = all.items()
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
	properties, _ := s.get("properties")
	property, ok := properties.get(name)
	if !ok || property.Kind != ir.Object || property.has("not") || property.has("$ref") || !requires(s, name) {
		return s
	}
	enum := ir.Value{Pos: not.Pos, Kind: ir.Array, Items: values}
	exclusion := ir.Value{Pos: not.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "enum", Value: enum}}}
	property.Fields = append(slices.Clone(property.Fields), ir.Member{Name: "not", Value: exclusion})
	properties = properties.with(name, property.Value)
	return s.without([]string{"not"}).with("properties", properties.Value)
}

// constantsOf returns the property of an object schema that has constants, and these, where the schema says nothing else.
func constantsOf(s cursor) (name string, values []ir.Value) {
	properties, _ := s.get("properties")
	if len(properties.Fields) != 1 || s.has("type") && s.text("type") != "object" || hasAny(s.without([]string{"type", "properties", "required"}), checks) {
		return "", nil
	}
	property := properties.members()[0]
	listed := valuesOf(property.cursor)
	if required, ok := s.get("required"); ok && (len(required.Items) != 1 || required.Items[0].Text != property.name) ||
		!ofType(property.cursor, listed) || hasAny(property.without([]string{"type", "const", "enum"}), checks) {
		return "", nil
	}
	return property.name, listed
}

// requires reports whether an object schema requires a property.
func requires(s cursor, name string) bool {
	required, _ := s.get("required")
	return slices.ContainsFunc(required.Items, func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == name })
}
