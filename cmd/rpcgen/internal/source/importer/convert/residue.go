package convert

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// residue is what a schema says that the fields of its outline do not: the empty schema if that is nothing.
func (c outliner) residue(s source.Cursor, o *outline, depth int) ir.Value {
	rest := ir.Value{Pos: s.Pos, Kind: ir.Object}
	if s.Kind != ir.Object || depth > source.Deepest {
		return s.Value
	}
	keep := func(name string, v ir.Value) { rest.Fields = append(rest.Fields, ir.Member{Name: name, Value: v}) }
	properties, _ := s.Get("properties")
	counted := s.Has("unevaluatedProperties")
	for _, k := range s.Members() {
		switch k.Name {
		case "type":
			if k.Text != "object" && !slices.ContainsFunc(k.Items, func(v ir.Value) bool { return v.Text == "object" }) {
				keep(k.Name, k.Value)
			}
		case "required":
			if slices.Contains(RequiredOf(s), "") { // which can be no field
				keep(k.Name, k.Value)
			}
		case "properties":
			if v, ok := c.restOfProperties(s, k.Cursor, o); ok {
				keep(k.Name, v)
			}
		case "additionalProperties":
			if c.restrictsMore(s, properties, k.Cursor, o) {
				keep(k.Name, k.Value)
			}
		case "allOf":
			if counted {
				keep(k.Name, k.Value)
			} else if parts := c.restOfParts(k.Cursor, o, depth); len(parts.Items) > 0 {
				keep(k.Name, parts)
			}
		case "$ref":
			if counted || !c.saysFieldsOnly(s, depth) {
				keep(k.Name, k.Value)
			}
		default:
			if slices.Contains(source.Checks, k.Name) {
				keep(k.Name, k.Value)
			}
		}
	}
	return rest
}

// restOfProperties are the names of properties, where another keyword goes by them.
func (c outliner) restOfProperties(s, properties source.Cursor, o *outline) (ir.Value, bool) {
	v := allTrue(properties.Value)
	empty, has := properties.Get("")
	if has {
		for i, m := range v.Fields {
			if m.Name == "" {
				v.Fields[i].Value = empty.Value
			}
		}
	}
	extra, ok := s.Get("additionalProperties")
	return v, has || s.Has("unevaluatedProperties") || ok && c.restrictsMore(s, properties, extra, o)
}

// restrictsMore reports whether additionalProperties says something that the type does not: there are patterns, or fields that are none of its own properties.
func (c outliner) restrictsMore(s, properties, extra source.Cursor, o *outline) bool {
	if isAnything(extra) {
		return s.Has("unevaluatedProperties")
	}
	others := slices.ContainsFunc(o.names, func(name string) bool { return !properties.Has(name) }) ||
		slices.ContainsFunc(o.required, func(name string) bool { return !properties.Has(name) && extra.Kind == ir.Boolean })
	typed := o.closed || o.extra != nil && SameValue(o.extra.Value, extra.Value)
	return s.Has("patternProperties") || others || !typed || s.Has("unevaluatedProperties") || properties.Has("")
}

// restOfParts are the parts of allOf that say more than fields.
func (c outliner) restOfParts(all source.Cursor, o *outline, depth int) ir.Value {
	left := ir.Value{Pos: all.Pos, Kind: ir.Array}
	for _, part := range all.Elements() {
		if rest := c.residue(part, o, depth+1); rest.Kind != ir.Object && rest.Text == "false" || len(rest.Fields) > 0 {
			left.Items = append(left.Items, rest)
		}
	}
	return left
}

// saysFieldsOnly reports whether what a reference leads to says nothing but fields.
func (c outliner) saysFieldsOnly(s source.Cursor, depth int) bool {
	target, message, _ := c.c.Resolver.RefersTo(s)
	if message != "" || depth > 100 {
		return false
	}
	if known, there := c.c.fieldsOnly[target.Pointer]; there {
		return known
	}
	c.c.fieldsOnly[target.Pointer] = true // in a circle, which says nothing more
	own := &outline{schemas: map[string][]source.Cursor{}, seen: map[string]bool{}}
	extra, closed := target.Get("additionalProperties")
	ok := (!closed || isAnything(extra)) && c.outline(own, target, 0) && len(c.residue(target, own, depth+1).Fields) == 0
	c.c.fieldsOnly[target.Pointer] = ok
	return ok
}

// interest is what schemas look at in an object.
type interest struct {
	every, others bool            // members whatever they are called; those that none has named
	named         map[string]bool // by name; false if they may be anything
	patterns      []*regexp.Regexp
}

// add adds what a schema looks at.
func (l *interest) add(s ir.Value) {
	for _, m := range s.Fields {
		k := jsonschema.KeywordOf(m.Name)
		k.Members(m.Value, func(name string, says ir.Value) {
			l.named[name] = l.named[name] || says.Kind != ir.Boolean || says.Text == "false"
		})
		switch {
		case k.Name == "patternProperties":
			l.others = true
			for _, p := range m.Value.Fields {
				if re, err := regexp.Compile(jsonschema.RE2(p.Name)); err == nil {
					l.patterns = append(l.patterns, re)
				}
			}
		case k.Kind == "object" && k.Role == jsonschema.Open, k.Name == "$recursiveRef": // which is not followed
			l.others = true
		case k.Checks && (k.Kind == "object" && !k.Names || k.Holds == jsonschema.Data || k.Refers()):
			l.every = true
		}
	}
	jsonschema.Children(s, func(k *jsonschema.Keyword, _ string, inner ir.Value) {
		if k.InPlace {
			l.add(inner)
		}
	})
}

// isBeyond reports whether the schemas look at members that have none of some names.
func (l *interest) isBeyond(names map[string]bool) bool {
	beyond := l.every || l.others
	for name := range l.named {
		beyond = beyond || !names[name]
	}
	return beyond
}

// dropDefaults keeps the defaults of fields out of the way of schemas that look at whether the fields are there.
func (l *interest) dropDefaults(fields *yaml.Node) {
	tree.Each(fields, func(key, value *yaml.Node) {
		name := strings.TrimSuffix(key.Value, "?")
		if l.every || l.named[name] || slices.ContainsFunc(l.patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) }) {
			WithoutDefault(value)
		}
	})
}
