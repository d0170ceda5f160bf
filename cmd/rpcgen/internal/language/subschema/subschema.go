// Package subschema compares JSON Schemas (draft 2020-12): does every value that fits one fit another? Package verdicts compares its answers with those
// of an independent validator, and package diff has scenarios.
//
//test:sequential
//test:by ./cmd/rpcgen/internal/language/diff TestScenarios
//test:by ./cmd/rpcgen/internal/source/verdicts TestSubschema
package subschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// mostSteps limits the comparison of two JSON Schemas.
const mostSteps = 100_000

// comparison compares two JSON Schemas.
type comparison struct {
	have, want ir.Value // the roots, which references lead into
	sameDefs   bool
	steps      int
	pairs      map[[2]string]verdict // of references
}

// verdict is what is known of a pair of references.
type verdict uint8

const (
	unknown verdict = iota
	assumed         // it is being compared: it holds unless something is found against it
	holds           // as long as what was assumed meanwhile holds
	notShown
)

// Within reports whether it can be shown that every value that fits one JSON Schema fits another one. It looks at one keyword at a time: each keyword
// of want has to follow from one of have. The effort is limited, whatever the size of the schemas; false means that it was not shown.
func Within(have, want ir.Value) bool {
	c := &comparison{have: have, want: want, pairs: map[[2]string]verdict{}}
	if c.equal(have, want) {
		return true
	}
	c.sameDefs = c.equal(have.Member("$defs"), want.Member("$defs")) && c.free(have.Member("$defs"), true)
	return c.within(have, want)
}

// equal reports whether two values read the same.
func (c *comparison) equal(a, b ir.Value) bool {
	c.steps++
	return c.steps <= mostSteps && a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, c.equal) &&
		slices.EqualFunc(a.Fields, b.Fields, func(a, b ir.Member) bool { return a.Name == b.Name && c.equal(a.Value, b.Value) })
}

// free reports whether a schema has no references but, where these are allowed, local ones, which lead into the definitions.
func (c *comparison) free(v ir.Value, local bool) bool {
	if c.steps++; c.steps > mostSteps {
		return false
	}
	for _, m := range v.Fields {
		allowed := local && m.Name == "$ref" && strings.HasPrefix(m.Value.Text, "#/$defs/")
		if jsonschema.KeywordOf(m.Name).Refers() && !allowed || !c.free(m.Value, local) {
			return false
		}
	}
	return !slices.ContainsFunc(v.Items, func(item ir.Value) bool { return !c.free(item, local) })
}

// same reports whether two parts mean the same: they read the same, and what they refer to does, too.
func (c *comparison) same(a, b ir.Value) bool {
	return c.equal(a, b) && (c.free(a, c.sameDefs))
}

// annotations say nothing of which values fit.
var annotations = []string{"title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$defs", "definitions",
	"$schema", "$id", "discriminator"}

// within reports whether every value that fits a fits b.
func (c *comparison) within(a, b ir.Value) bool {
	if c.steps++; c.steps > mostSteps {
		return false
	}
	switch {
	case b.Kind == ir.Boolean && b.Text == "true", a.Kind == ir.Boolean && a.Text == "false", c.same(a, b):
		return true
	case b.Kind != ir.Object:
		return false
	}
	for _, m := range b.Fields {
		if slices.Contains(annotations, m.Name) || strings.HasPrefix(m.Name, "x-") || c.keyword(a, b, m.Name, m.Value) {
			continue
		}
		return slices.ContainsFunc(a.Member("allOf").Items, func(part ir.Value) bool { return c.within(part, b) })
	}
	return true
}

// keyword reports whether the values of a keep to a keyword of b.
func (c *comparison) keyword(a, b ir.Value, name string, value ir.Value) bool {
	if all, ok := listedBy(b, name, true); ok {
		if some, ok := finiteValues(a, false); ok && !slices.ContainsFunc(some, func(v string) bool { return !slices.Contains(all, v) }) {
			return true
		}
	}
	other := a.Member(name)
	switch name {
	case "type":
		return admits(other.Words(), value.Words())
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return ir.Implies(rangeOf(a), rangeOf(ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: name, Value: value}}}))
	case "minLength", "minItems", "minProperties":
		least, ok := number(value)
		most, known := number(other)
		return ok && known && most >= least
	case "maxLength", "maxItems", "maxProperties":
		most, ok := number(value)
		least, known := number(other)
		return ok && known && least <= most
	case "required":
		return !slices.ContainsFunc(value.Items, func(field ir.Value) bool {
			return !slices.ContainsFunc(other.Items, func(o ir.Value) bool { return o.Text == field.Text })
		})
	case "properties":
		return !slices.ContainsFunc(value.Fields, func(m ir.Member) bool { return !c.within(property(a, m.Name), m.Value) })
	case "additionalProperties":
		return c.additional(a, b, value)
	case "items":
		return c.alike(a, b, "prefixItems") && c.within(orAny(a, "items"), value)
	case "anyOf":
		return c.branches(a, value)
	case "allOf":
		return !slices.ContainsFunc(value.Items, func(part ir.Value) bool { return !c.within(a, part) })
	case "$ref":
		return c.reference(a, value)
	case "then", "else":
		return c.same(other, value) && c.same(a.Member("if"), b.Member("if"))
	case "contains", "minContains", "maxContains":
		return c.alike(a, b, "contains", "minContains", "maxContains")
	case "unevaluatedProperties", "unevaluatedItems", "$dynamicRef":
		return false // the whole would be the same
	}
	return a.Has(name) && c.same(other, value)
}

// alike reports whether keywords that belong together are the same.
func (c *comparison) alike(a, b ir.Value, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return a.Has(name) != b.Has(name) || !c.same(a.Member(name), b.Member(name))
	})
}

// anything is the schema that all values fit.
var anything = ir.Value{Kind: ir.Boolean, Text: "true"}

func orAny(v ir.Value, name string) ir.Value {
	if v.Has(name) {
		return v.Member(name)
	}
	return anything
}

// property is what a schema says of a property by its name.
func property(a ir.Value, name string) ir.Value {
	if own := a.Member("properties"); own.Has(name) {
		return own.Member(name)
	}
	if a.Has("patternProperties") {
		return anything
	}
	return orAny(a, "additionalProperties")
}

// additional reports whether the properties of a that b does not name keep to what b says of them.
func (c *comparison) additional(a, b, value ir.Value) bool {
	if !c.alike(a, b, "patternProperties") || !c.within(orAny(a, "additionalProperties"), value) {
		return false
	}
	named := b.Member("properties")
	return !slices.ContainsFunc(a.Member("properties").Fields, func(m ir.Member) bool { return !named.Has(m.Name) && !c.within(m.Value, value) })
}

// branches reports whether each value of a fits one of the branches.
func (c *comparison) branches(a, value ir.Value) bool {
	one := func(a ir.Value) bool {
		return slices.ContainsFunc(value.Items, func(b ir.Value) bool { return c.within(a, b) })
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if a.Has(name) && !slices.ContainsFunc(a.Member(name).Items, func(branch ir.Value) bool { return !one(branch) }) {
			return true
		}
	}
	return one(a)
}

// reference compares what two references lead to.
func (c *comparison) reference(a, value ir.Value) bool {
	from, ok := target(c.have, a.Member("$ref"))
	to, known := target(c.want, value)
	if !ok || !known {
		return false
	}
	pair := [2]string{a.Member("$ref").Text, value.Text}
	if v := c.pairs[pair]; v != unknown {
		return v != notShown
	}
	c.pairs[pair] = assumed
	if c.within(from, to) {
		c.pairs[pair] = holds
		return true
	}
	for other, v := range c.pairs {
		if v == holds { // possibly because this one was assumed
			delete(c.pairs, other)
		}
	}
	c.pairs[pair] = notShown
	return false
}

// target is what a reference into the definitions of a schema leads to.
func target(root, ref ir.Value) (ir.Value, bool) {
	name, ok := strings.CutPrefix(ref.Text, "#/$defs/")
	if !ok || strings.ContainsAny(name, "/~%") {
		return ir.Value{}, false
	}
	defs := root.Member("$defs")
	return defs.Member(name), defs.Has(name)
}

// finiteValues returns values, as JSON, among which are all that fit a schema, because a keyword of it lists them. If exact is set, they all fit.
func finiteValues(s ir.Value, exact bool) (all []string, ok bool) {
	for _, m := range s.Fields {
		if exact && !slices.Contains(annotations, m.Name) && m.Name != "const" && m.Name != "enum" {
			return nil, false
		}
	}
	for _, name := range []string{"const", "enum", "oneOf", "anyOf"} {
		if all, ok := listedBy(s, name, exact); ok {
			return all, !exact || !s.Has("const") || !s.Has("enum")
		}
	}
	return nil, false
}

// listedBy returns the values that a keyword lists: const, enum, or branches that do.
func listedBy(s ir.Value, name string, exact bool) (all []string, ok bool) {
	value := s.Member(name)
	switch {
	case !s.Has(name):
	case name == "const":
		return []string{value.String()}, true
	case name == "enum":
		return ir.Each(value.Items, ir.Value.String), true
	case name == "oneOf" || name == "anyOf":
		for _, branch := range value.Items {
			some, ok := finiteValues(branch, exact)
			if !ok || exact && name == "oneOf" && slices.ContainsFunc(some, func(v string) bool { return v[0] != '"' || slices.Contains(all, v) }) {
				return nil, false // a value that two branches list does not fit; texts are the same only if they read the same
			}
			all = append(all, some...)
		}
		return all, len(all) > 0
	}
	return nil, false
}

// admits reports whether values of some kinds are of others.
func admits(have, want []string) bool {
	return have != nil && !slices.ContainsFunc(have, func(kind string) bool {
		return !slices.Contains(want, kind) && (kind != "integer" || !slices.Contains(want, "number"))
	})
}

// rangeOf is the range of numbers of a schema.
func rangeOf(s ir.Value) *ir.Range {
	r := &ir.Range{Min: s.Member("minimum").Text, Max: s.Member("maximum").Text}
	if s.Has("exclusiveMinimum") && r.Min == "" {
		r.Min, r.ExclusiveMin = s.Member("exclusiveMinimum").Text, true
	}
	if s.Has("exclusiveMaximum") && r.Max == "" {
		r.Max, r.ExclusiveMax = s.Member("exclusiveMaximum").Text, true
	}
	return r
}

// number is a count that a keyword says.
func number(v ir.Value) (int, bool) {
	n, err := strconv.Atoi(v.Text)
	return n, err == nil && v.Kind == ir.Integer
}

// FirstDifference returns where two JSON Schemas first differ, as a JSON Pointer, and what is there in each. The zero Value stands for nothing.
// A difference of annotations only counts if there is no other one.
func FirstDifference(a, b ir.Value) (pointer string, before, after ir.Value) {
	equal := func(a, b ir.Value) bool { return bare(a).String() == bare(b).String() }
	if equal(a, b) {
		equal = func(a, b ir.Value) bool { return a.String() == b.String() }
	}
	for a.Kind == b.Kind {
		i := slices.IndexFunc(parts(a, b), func(p part) bool { return !equal(p.a, p.b) })
		if i < 0 {
			break
		}
		p := parts(a, b)[i]
		pointer += "/" + ir.EscapePointer(p.name)
		a, b = p.a, p.b
	}
	return pointer, a, b
}

// part is what two values have at one place.
type part struct {
	name string
	a, b ir.Value
}

// parts pairs what two values of one kind consist of.
func parts(a, b ir.Value) (all []part) {
	all = ir.Each(a.Fields, func(m ir.Member) part { return part{m.Name, m.Value, b.Member(m.Name)} })
	for _, m := range b.Fields {
		if !a.Has(m.Name) {
			all = append(all, part{m.Name, ir.Value{}, m.Value})
		}
	}
	for i := range max(len(a.Items), len(b.Items)) {
		p := part{name: strconv.Itoa(i)}
		if i < len(a.Items) {
			p.a = a.Items[i]
		}
		if i < len(b.Items) {
			p.b = b.Items[i]
		}
		all = append(all, p)
	}
	return all
}

// bare is a schema without annotations, at any depth.
func bare(v ir.Value) ir.Value {
	items := ir.Each(v.Items, bare)
	var fields []ir.Member
	for _, m := range v.Fields {
		if m.Name == "$defs" || m.Name == "definitions" || !slices.Contains(annotations, m.Name) {
			fields = append(fields, ir.Member{Name: m.Name, Value: bare(m.Value)})
		}
	}
	v.Items, v.Fields = items, fields
	return v
}
