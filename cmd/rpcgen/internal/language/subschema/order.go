package subschema

import (
	"slices"
	"sort"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Sort returns a JSON Schema with what has no order in one order: the names under required and dependentRequired, the kinds under type and the values
// under enum. A choice among constants, or of definitions that are constants, is written as an enum, and a type that all values of an enum are of is left out.
func Sort(schema ir.Value) ir.Value { return ordering{schema}.sort(schema) }

// ordering orders the parts of a schema, whose references lead into the root.
type ordering struct{ root ir.Value }

func (o ordering) sort(schema ir.Value) ir.Value {
	if values, ok := o.values(schema, 0); ok && !schema.Has("$ref") {
		schema = schema.Without("const", "enum", "anyOf", "oneOf").Set("enum", ir.Value{Pos: schema.Pos, Kind: ir.Array, Items: values})
	}
	schema.Fields = slices.DeleteFunc(slices.Clone(schema.Fields), func(m ir.Member) bool {
		return m.Name == "type" &&
			impliedBy(schema.Member("enum"), m.Value)
	})
	for i, m := range schema.Fields {
		v := &schema.Fields[i].Value
		switch {
		case slices.Contains([]string{"required", "type", "enum"}, m.Name):
			*v = sortedItems(*v)
		case m.Name == "dependentRequired":
			v.Fields = slices.Clone(v.Fields)
			for j, by := range v.Fields {
				v.Fields[j].Value = sortedItems(by.Value)
			}
		}
	}
	return jsonschema.Rewrite(schema, func(_ *jsonschema.Keyword, _ string, inner ir.Value) ir.Value { return o.sort(inner) })
}

// mostValues and deepest limit what is read as a list of values.
const (
	mostValues = 1000
	deepest    = 5
)

// values lists the values of a schema that is nothing but a list of values, or a choice among such schemas that share none.
func (o ordering) values(schema ir.Value, depth int) (all []ir.Value, ok bool) {
	forms := 0
	for _, m := range schema.Fields {
		switch {
		case m.Name == "const":
			all = []ir.Value{m.Value}
		case m.Name == "enum":
			all = m.Value.Items
		case m.Name == "$ref" && depth < deepest:
			name, local := definition(schema)
			if all, ok = o.values(o.root.Member("$defs").Member(name), depth+1); !local || !ok {
				return nil, false
			}
		case (m.Name == "anyOf" || m.Name == "oneOf") && depth < deepest:
			for _, branch := range m.Value.Items {
				values, ok := o.values(branch, depth+1)
				if all = append(all, values...); !ok || len(all) > mostValues {
					return nil, false
				}
			}
		case m.Name == "type" || slices.Contains(annotations, m.Name):
			continue
		default:
			return nil, false
		}
		forms++
	}
	ofType := !schema.Has("type") || impliedBy(ir.Value{Items: all}, schema.Member("type"))
	return all, forms == 1 && ofType && distinct(all)
}

func distinct(values []ir.Value) bool {
	seen := map[string]bool{}
	for _, v := range values {
		if seen[v.String()] {
			return false
		}
		seen[v.String()] = true
	}
	return true
}

// impliedBy reports whether all values of an enum are of one kind, which is the type.
func impliedBy(enum, kind ir.Value) bool {
	return len(enum.Items) > 0 && kind.Kind == ir.Text && !slices.ContainsFunc(enum.Items, func(v ir.Value) bool {
		return v.Kind.String() != kind.Text && (v.Kind != ir.Integer || kind.Text != "number")
	})
}

func sortedItems(v ir.Value) ir.Value {
	v.Items = slices.Clone(v.Items)
	sort.SliceStable(v.Items, func(i, j int) bool { return v.Items[i].String() < v.Items[j].String() })
	return v
}

// Alternatives returns the names of the definitions that a JSON Schema chooses among: it is a reference to one under $defs, or anyOf or oneOf of such, and
// says nothing else of values. It reports false for other schemas.
func Alternatives(schema ir.Value) (names []string, ok bool) {
	branches := []ir.Value{schema}
	for _, m := range schema.Fields {
		switch {
		case m.Name == "anyOf" || m.Name == "oneOf":
			branches = m.Value.Items
		case m.Name != "$ref" && m.Name != "$defs" && !slices.Contains(annotations, m.Name):
			return nil, false
		}
	}
	for _, b := range branches {
		if b.Has("anyOf") || b.Has("oneOf") {
			inner, ok := Alternatives(b)
			if !ok {
				return nil, false
			}
			names = append(names, inner...)
			continue
		}
		name, ok := definition(b)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, len(names) > 0
}

// definition returns the name under $defs that a schema refers to, if it says nothing else of values.
func definition(schema ir.Value) (name string, ok bool) {
	for _, m := range schema.Fields {
		switch {
		case m.Name == "$ref":
			name, ok = strings.CutPrefix(m.Value.Text, "#/$defs/")
			name = ir.UnescapePointer(name)
		case m.Name != "$defs" && !slices.Contains(annotations, m.Name):
			return "", false
		}
	}
	return name, ok
}

// Definitions returns the names under $defs.
func Definitions(schema ir.Value) []string {
	defs := schema.Member("$defs")
	return defs.Names()
}

// Definition is the definition of a name that a schema has under $defs.
func Definition(schema ir.Value, name string) ir.Value {
	return schema.Member("$defs").Member(name)
}

// Without returns a JSON Schema in which some definitions under $defs say nothing.
func Without(schema ir.Value, definitions func(name string) bool) ir.Value {
	if !schema.Has("$defs") {
		return schema
	}
	defs := schema.Member("$defs")
	defs.Fields = ir.Each(defs.Fields, func(d ir.Member) ir.Member {
		if definitions(d.Name) {
			d.Value = ir.Value{Kind: ir.Object, Pos: d.Value.Pos}
		}
		return d
	})
	return schema.Set("$defs", defs)
}

// Common returns two JSON Schemas with the definitions under $defs that both have. What refers to another one differs as well.
func Common(a, b ir.Value) (ir.Value, ir.Value) {
	return onlyDefinitions(a, b.Member("$defs")), onlyDefinitions(b, a.Member("$defs"))
}

func onlyDefinitions(schema, others ir.Value) ir.Value {
	if !schema.Has("$defs") {
		return schema
	}
	defs := schema.Member("$defs")
	defs.Fields = ir.Where(defs.Fields, func(d ir.Member) bool { return others.Has(d.Name) })
	return schema.Set("$defs", defs)
}
