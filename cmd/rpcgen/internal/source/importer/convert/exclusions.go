package convert

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// narrowProperty is an object schema whose `not` moved into the property that it is about, where it excludes constants of one required property: {properties:
// {kind: {type: string}}, required: [kind], not: {properties: {kind: {const: a}}}} admits what {properties: {kind: {type: string, not: {enum: [a]}}},
// required: [kind]} admits. Generators for tagged unions write such a branch for all other tags. Other schemas stay as they are.
func narrowProperty(s source.Cursor) source.Cursor {
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
	if !ok || property.Kind != ir.Object || property.Has("not") || property.Has("$ref") || !slices.Contains(RequiredOf(s), name) {
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
	if len(properties.Fields) != 1 || s.Has("type") && s.TextOf("type") != "object" ||
		source.HasAny(s.Without([]string{"type", "properties", "required"}), source.Checks) {
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

// distinct leaves out the branches of oneOf that are the same as another: no value would fit exactly one of them.
func (c *Converter) distinct(s source.Cursor, items []source.Cursor) (all []source.Cursor) {
	known := map[string]bool{}
	for _, item := range items {
		is := item.Without(wordy).Value.String()
		if known[is] && source.HasAny(item, source.Checks) {
			c.Report.Weaken(s.Pointer, "branches of oneOf are the same, so that no value fits exactly one of them: they are read as one")
			continue
		}
		known[is] = true
		all = append(all, item)
	}
	return all
}

// wordy are keywords of which values know nothing.
var wordy = []string{"title", "description", "$comment", "deprecated", "default", "example", "examples"}

// mostOverlap bounds the branches, and the values in each of them, that are compared with each other.
const mostOverlap = 50

// overlap reports whether what each branch describes fits another one: objects are open, so that members which only one describes do not tell them apart.
func (c *Converter) overlap(branches []source.Cursor) bool {
	branches = slices.DeleteFunc(slices.Clone(branches), isNull)
	for i := range branches {
		if branches[i] = c.Resolver.Target(branches[i]); len(branches) > mostOverlap || SizeOf(branches[i].Value, 10*mostOverlap) == 10*mostOverlap {
			return false
		}
	}
	for i, a := range branches {
		if !source.HasAny(a, source.Checks) || !slices.ContainsFunc(branches[i+1:], func(b source.Cursor) bool { return fitsOther(a, b) }) &&
			!slices.ContainsFunc(branches[:i], func(b source.Cursor) bool { return fitsOther(a, b) }) {
			return false
		}
	}
	return len(branches) > 0
}

// fitsOther reports whether the members that one schema describes fit another one.
func fitsOther(a, b source.Cursor) bool {
	same := func(a, b source.Cursor) bool { return SameValue(a.Without(wordy).Value, b.Without(wordy).Value) }
	if values, others := source.ValuesOf(a), source.ValuesOf(b); len(values) > 0 && len(others) > 0 {
		lists := []string{"const", "enum"}
		return same(a.Without(lists), b.Without(lists)) && !slices.ContainsFunc(values, func(v ir.Value) bool {
			return !slices.ContainsFunc(others, func(other ir.Value) bool { return SameValue(v, other) })
		})
	}
	for _, s := range []source.Cursor{a, b} {
		if !s.Has("properties") || source.HasAny(s.Without([]string{"type", "properties", "required"}), source.Checks) {
			return same(a, b)
		}
	}
	other := slices.ContainsFunc(b.FieldsOf(), func(p source.Member) bool {
		own, has := a.Path("properties", p.Name)
		return has && !same(own, p.Cursor)
	})
	return !other && !slices.ContainsFunc(RequiredOf(b), func(name string) bool { return !slices.Contains(RequiredOf(a), name) })
}
