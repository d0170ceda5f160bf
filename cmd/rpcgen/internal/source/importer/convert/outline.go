package convert

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// outline is what a schema says of the fields of an object, itself and by what it joins and refers to. What else it says is checked by an additional schema.
type outline struct {
	names    []string                   // of properties, in order
	schemas  map[string][]source.Cursor // what is said of each
	required []string
	extra    *source.Cursor  // what is said of all other members; nil if that is nothing, or not one thing
	closed   bool            // there are no others
	patterns bool            // names of members are compared with patterns
	seen     map[string]bool // pointers of what was read
}

// outlineOf converts a schema of objects that no type says all of to typed fields and an additional schema for the rest; nil if it has no fields.
func (c outliner) outlineOf(s source.Cursor, reason string, where Place) *yaml.Node {
	kinds := c.c.Resolver.KindsOf(s)
	nullable := len(kinds) == 2 && slices.Contains(kinds, "null")
	if !slices.Contains(kinds, "object") || len(kinds) > 1 && !nullable || c.c.Decisions.Bare[s.Pointer] || c.c.Report.Layout == report.MetaModel {
		return nil
	}
	if c.c.outlining[s.Pointer] {
		if len(c.c.Decisions.Circular) < mostShared {
			c.c.Decisions.Circular[s.Pointer] = true
		}
		return nil
	}
	c.c.outlining[s.Pointer] = true
	defer delete(c.c.outlining, s.Pointer)
	o := &outline{schemas: map[string][]source.Cursor{}, seen: map[string]bool{}}
	if !c.outline(o, s, 0) || len(o.names) > grammar.MostMembers || len(o.required) > grammar.MostMembers {
		return nil
	}
	if len(o.seen) > 0 { // the fields of others are copied
		if c.c.copying || !c.c.Resolver.Work.May(source.OfSchema*len(o.names)) {
			return nil // a copy within a copy would go on and on where types refer to each other
		}
		c.c.copying = true
		defer func() { c.c.copying = false }()
	}
	rest := c.residue(s, o, 0)
	m := tree.Mapping()
	if len(o.names) == 0 && len(o.required) == 0 {
		if rest = c.patternMap(m, s, rest); len(m.Content) == 0 {
			return nil
		}
	} else {
		c.outlineFields(m, s, o, rest)
	}
	if !c.addResidue(m, s, rest, reason) {
		return nil
	}
	if nullable && c.fitsNull(s) {
		AllowNull(m)
	}
	c.c.words(m, s.Without(source.Beyond), where)
	return Short(m, where)
}

// fitsNull reports whether null fits a schema.
func (c outliner) fitsNull(s source.Cursor) bool {
	whole, reason := c.c.bundleSchema(s, s.Pointer)
	if reason != "" || len(judge.SchemaFaults(whole)) > 0 {
		return true
	}
	fits, known := judge.ConformsSoon(whole, ir.Value{Kind: ir.Null, Text: "null"})
	return fits || !known
}

// outline adds what a schema says of fields. It reports false if it says that there is no object.
func (c outliner) outline(o *outline, s source.Cursor, depth int) bool {
	if depth > source.DeepestKinds {
		return false
	}
	if s.Has("$ref") {
		target, message, _ := c.c.Resolver.RefersTo(s)
		if message != "" {
			return false
		}
		if !o.seen[target.Pointer] {
			o.seen[target.Pointer] = true
			if !c.outline(o, target, depth+1) {
				return false
			}
		}
		if c.c.Resolver.OnlyRef {
			return true
		}
	}
	if s.Kind != ir.Object {
		return s.Text != "false"
	}
	properties, _ := s.Get("properties")
	if !c.c.Resolver.Work.May(source.OfJoined + len(properties.Fields)) {
		return false
	}
	for _, p := range properties.Members() {
		o.add(p)
	}
	o.required = append(o.required, c.c.requiredNames(s)...)
	c.outlineOthers(o, s)
	for _, part := range s.ElementsOf("allOf") {
		if !c.outline(o, part, depth+1) {
			return false
		}
	}
	return true
}

func (o *outline) add(p source.Member) {
	known := o.schemas[p.Name]
	if known == nil {
		o.names = append(o.names, p.Name)
	}
	if !slices.ContainsFunc(known, func(other source.Cursor) bool { return SameValue(other.Value, p.Value) }) {
		o.schemas[p.Name] = append(known, p.Cursor)
	}
}

// outlineOthers adds what a schema says of members that are not properties.
func (c outliner) outlineOthers(o *outline, s source.Cursor) {
	extra, ok := s.Get("additionalProperties")
	patterns, named := s.Get("patternProperties")
	o.patterns = o.patterns || named || source.HasAny(s, []string{"propertyNames", "unevaluatedProperties", "minProperties", "maxProperties"})
	switch {
	case !ok:
	case extra.Kind == ir.Boolean && extra.Text == "false" && !named:
		o.closed = true
	case isAnything(extra):
	default:
		of, one := onlyPattern(patterns, extra, ok)
		if one && (o.extra == nil || SameValue(o.extra.Value, of.Value)) {
			o.extra = &of
		}
	}
}

// onlyPattern is the one schema of all members that match a pattern, and of those that match none if there may be such; false if there is no such schema.
func onlyPattern(patterns, extra source.Cursor, there bool) (of source.Cursor, ok bool) {
	all := patterns.Members()
	switch {
	case !there:
		return of, false
	case extra.Kind != ir.Boolean:
		of, ok = extra, true
	case len(all) > 0 && extra.Text == "false":
		of, ok = all[0].Cursor, true
	}
	for _, p := range all {
		ok = ok && SameValue(p.Value, of.Value)
	}
	return of, ok
}

// outlineFields writes the fields of an outline.
func (c outliner) outlineFields(m *yaml.Node, s source.Cursor, o *outline, rest ir.Value) {
	all := make([]source.Member, 0, len(o.names))
	for _, name := range o.names {
		if name == "" {
			continue // the additional schema checks it
		}
		of := o.schemas[name][0]
		if len(o.schemas[name]) > 1 {
			of = joinedSchemas(o.schemas[name])
		}
		all = append(all, source.Member{Name: name, Cursor: of})
	}
	extra := source.Cursor{}
	if o.extra != nil {
		extra = *o.extra
	}
	known := map[string]bool{"": true}
	required := slices.DeleteFunc(slices.Clone(o.required), func(name string) bool {
		was := known[name]
		known[name] = true
		return was
	})
	c.c.fields(m, all, s.Pointer+"/properties", extra, required)
	l := interest{named: map[string]bool{}}
	l.add(rest)
	l.dropDefaults(tree.Get(m, "fields"))
	l.dropDefaults(tree.Get(m, "properties"))
	switch {
	case o.closed && o.schemas[""] == nil:
		tree.Set(m, "additional", tree.Plain("false"))
	case o.extra != nil && !isAnything(*o.extra):
		c.c.additional(m, *o.extra, true)
	case l.isBeyond(SetOf(o.names)) || o.patterns || o.schemas[""] != nil:
		tree.Set(m, "additional", tree.Text("any"))
	}
}

// joinedSchemas is what several schemas say together.
func joinedSchemas(all []source.Cursor) source.Cursor {
	v := ir.Value{Pos: all[0].Pos, Kind: ir.Array, Items: ir.Each(all, func(s source.Cursor) ir.Value { return s.Value })}
	return source.Cursor{Value: ir.Value{Pos: all[0].Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "allOf", Value: v}}}, Pointer: all[0].Pointer,
		Index: all[0].Index}
}

// patternMap writes an object without fields as a map of what its members fit, and returns what is left to check.
func (c outliner) patternMap(m *yaml.Node, s source.Cursor, rest ir.Value) ir.Value {
	patterns, named := s.Get("patternProperties")
	extra, hasExtra := s.Get("additionalProperties")
	of, one := onlyPattern(patterns, extra, hasExtra)
	everything := slices.ContainsFunc(patterns.Fields, func(p ir.Member) bool { return matchesAll(p.Name) })
	if !one && everything && len(patterns.Fields) == 1 {
		of, one = patterns.Members()[0].Cursor, true
	}
	others := source.HasAny(s, source.MemberKeywords)
	switch {
	case !one && !named && !others:
		return rest // there is nothing that a map says
	case !one:
		of = source.Cursor{}
	}
	c.c.mapOf(m, of, one)
	if !one {
		return rest
	}
	left := ir.Value{Pos: rest.Pos, Kind: ir.Object}
	for _, k := range rest.Fields {
		switch k.Name {
		case "patternProperties":
			if everything || extra.Kind != ir.Boolean {
				continue // the map says all of it
			}
			k.Value = allTrue(k.Value)
		case "additionalProperties":
			if everything || extra.Kind != ir.Boolean {
				continue
			}
		}
		left.Fields = append(left.Fields, k)
	}
	return left
}

// matchesAll reports whether a pattern matches every name.
func matchesAll(pattern string) bool {
	return slices.Contains([]string{"", ".*", "^.*$", "^.*", ".*$", "^", "$", "^(.*)$", "(.*)", `[\s\S]*`, `^[\s\S]*$`, "^(.*)"}, pattern)
}

// allTrue is an object of schemas that take everything, under the same names.
func allTrue(v ir.Value) ir.Value {
	v.Fields = ir.Each(v.Fields, func(m ir.Member) ir.Member {
		return ir.Member{Name: m.Name, Value: ir.Value{Pos: m.Value.Pos, Kind: ir.Boolean, Text: "true"}}
	})
	return v
}

// addResidue adds the schema that checks what the fields do not say, unless there is nothing. It reports false if the value is better kept as it is.
func (c outliner) addResidue(m *yaml.Node, s source.Cursor, rest ir.Value, reason string) bool {
	if len(rest.Fields) == 0 {
		return true
	}
	v, unchecked := c.c.bundleSchema(source.Cursor{Value: rest, Pointer: s.Pointer, Index: s.Index}, "\x00")
	if unchecked == "" {
		if faults := judge.SchemaFaults(v); len(faults) > 0 {
			unchecked = faults[0].Message
		}
	}
	if unchecked != "" {
		c.c.Report.AddOpaque(s.Pointer, "its fields are typed, and the rest is not checked: "+strings.TrimPrefix(unchecked, "error parsing regexp: "))
		if CanKeep(rest) {
			tree.Set(m, "x-schema", tree.Value(rest))
		}
		return true
	}
	if len(v.Fields) > 0 {
		tree.Set(m, "schema", tree.Value(v))
		c.c.Report.AddBeside(s.Pointer, reason)
	}
	return true
}

// outliner converts schemas of which a type says a part.
type outliner struct{ c *Converter }
