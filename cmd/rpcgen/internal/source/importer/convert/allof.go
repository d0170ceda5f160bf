package convert

import (
	"math"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// allOf converts a conjunction: of one schema to it, of a name and limits to the name with limits, and of objects to one that extends those with names.
func (c *Converter) allOf(m *yaml.Node, s source.Cursor, where Place) string {
	all, _ := s.Get("allOf")
	parts := all.Elements()
	if len(parts) == 0 {
		c.Fault(all, "", "allOf must be a list of schemas")
		return ""
	}
	rest := s.Without([]string{"allOf"})
	if own := source.HasAny(rest, source.Checks); own {
		parts = append(slices.Clone(parts), rest)
	}
	if len(parts) == 1 {
		return c.form(m, parts[0], where)
	}
	if whole, ok := mergedParts(s, parts); ok {
		return c.form(m, whole, where)
	}
	if list, ok := oneList(s, parts); ok {
		return c.form(m, list, where)
	}
	if spread, ok := c.spread(s, parts); ok {
		if !c.Resolver.Work.May(c.spreadSize(parts)) {
			return "the branches of the unions in allOf, each with each, have too many values"
		}
		return c.union(m, spread)
	}
	return c.combine(m, s, parts)
}

// spreadSize is how many values a conjunction has once it is spread over the branches of its unions, up to a limit: they multiply, and may have no end.
func (c *Converter) spreadSize(parts []source.Cursor) int {
	const most = math.MaxInt32
	times, size := 1, 0
	for _, part := range parts {
		target := c.Resolver.Target(part)
		size += SizeOf(target.Value, most)
		for _, keyword := range []string{"oneOf", "anyOf"} {
			branches, _ := target.Get(keyword)
			times *= max(1, len(branches.Items))
		}
		if times > most || times*size > most {
			return most
		}
	}
	return times * size
}

// spread is a conjunction with one union as the union of its siblings with each branch.
func (c *Converter) spread(s source.Cursor, parts []source.Cursor) (union source.Cursor, ok bool) {
	for at, part := range parts {
		target := c.Resolver.Target(part)
		for _, keyword := range []string{"oneOf", "anyOf"} {
			branches, is := target.Get(keyword)
			if !is || len(branches.Items) == 0 || source.HasAny(target.Without([]string{keyword}), source.Checks) {
				continue
			}
			rest := slices.Delete(slices.Clone(parts), at, at+1)
			others := ir.Value{Pos: s.Pos, Kind: ir.Array, Items: ir.Each(rest, func(other source.Cursor) ir.Value { return other.Value })}
			fields := []ir.Member{{Name: keyword, Value: branches.Value}, {Name: "allOf", Value: others}}
			if by, ok := target.Get(Tags); ok {
				fields = append(fields, ir.Member{Name: Tags, Value: by.Value})
			}
			return source.Cursor{Value: ir.Value{Pos: s.Pos, Kind: ir.Object, Fields: fields}, Pointer: s.Pointer, Index: s.Index}, true
		}
	}
	return union, false
}

// siblingKeywords are the keywords that change what others say, so that they mean the same only among their siblings.
var siblingKeywords = slices.Concat(
	[]string{"patternProperties", "contains", "minContains", "maxContains", "if", "then", "else"},
	jsonschema.Names(func(k *jsonschema.Keyword) bool {
		return k.Refers() || slices.Contains([]jsonschema.Role{jsonschema.Property, jsonschema.Item, jsonschema.Open}, k.Role)
	}))

// mergedParts is a conjunction as one schema, where no two parts say different things with the same keyword and none is a name.
func mergedParts(s source.Cursor, parts []source.Cursor) (whole source.Cursor, ok bool) {
	fields := map[string]ir.Value{}
	var order []string
	for i, part := range parts {
		if part.Kind == ir.Boolean && part.Text == "true" {
			continue
		}
		if part.Kind != ir.Object || part.Has("$ref") {
			return whole, false
		}
		for _, k := range part.Fields {
			if !slices.Contains(source.Checks, k.Name) && k.Name != "format" && k.Name != "contentEncoding" {
				continue
			}
			elsewhere := func(other source.Cursor) bool { return source.HasAny(other, siblingKeywords) }
			if slices.Contains(siblingKeywords, k.Name) && (slices.ContainsFunc(parts[:i], elsewhere) || slices.ContainsFunc(parts[i+1:], elsewhere)) {
				return whole, false
			}
			other, twice := fields[k.Name]
			if twice && !SameValue(other, k.Value) {
				return whole, false
			}
			if !twice {
				order = append(order, k.Name)
			}
			fields[k.Name] = k.Value
		}
	}
	v := ir.Value{Pos: s.Pos, Kind: ir.Object, Fields: ir.Each(order, func(name string) ir.Member { return ir.Member{Name: name, Value: fields[name]} })}
	return source.Cursor{Value: v, Pointer: s.Pointer, Index: s.Index}, true
}

// oneList is a conjunction of lists as one list, whose elements fit what each part says of them. Parts may leave it to others to say that it is a list.
func oneList(s source.Cursor, parts []source.Cursor) (list source.Cursor, ok bool) {
	rules, items := []source.Cursor(nil), ir.Value{Pos: s.Pos, Kind: ir.Array}
	for _, part := range parts {
		each, has := part.Get("items")
		if t := part.TextOf("type"); part.Has("type") && t != "array" || each.Kind == ir.Array ||
			source.HasAny(part.Without(slices.Concat(source.ListRules, []string{"type", "items"})), source.Checks) {
			return list, false
		}
		if rules = append(rules, part.Without([]string{"items"})); has {
			items.Items = append(items.Items, each.Value)
		}
	}
	list, ok = mergedParts(s, rules)
	each := ir.Value{Pos: s.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "allOf", Value: items}}}
	list.Fields = append(list.Fields, ir.Member{Name: "items", Value: each})
	return list, ok && len(items.Items) > 0 && list.TextOf("type") == "array"
}

// joinable are the keywords of objects that can be joined; others do not stand with them.
var joinable = slices.Concat(source.ObjectKeywords, source.ObjectRules, []string{"$ref", "allOf", "type"})

// unjoinable says why parts of a conjunction do not make an object; empty when they do.
func (c *Converter) unjoinable(parts []source.Cursor) string {
	object := false
	for _, part := range parts {
		if part.Kind != ir.Object {
			return "allOf has a part that is " + part.Text
		}
		for _, k := range part.Fields {
			if slices.Contains(source.Checks, k.Name) && !slices.Contains(joinable, k.Name) {
				return "allOf has a part with " + k.Name
			}
		}
		kinds := c.Resolver.KindsOf(part)
		object = object || len(kinds) == 1 && kinds[0] == "object"
		if kinds != nil && !slices.Contains(kinds, "object") {
			return "allOf has a part that is not an object"
		}
	}
	if !object {
		return "no part of allOf says that it is an object"
	}
	return ""
}

// combine converts what fits several schemas at once.
func (c *Converter) combine(m *yaml.Node, s source.Cursor, parts []source.Cursor) string {
	if c.limited(m, parts) {
		return ""
	}
	if reason := c.unjoinable(parts); reason != "" {
		return reason
	}
	j := joint{properties: source.Cursor{Value: ir.Value{Kind: ir.Object}, Pointer: s.Pointer + "/properties", Index: s.Index}, own: map[string]int{},
		asked: map[string]bool{}}
	for _, part := range parts {
		if reason := c.join(&j, part); reason != "" {
			return reason
		}
	}
	c.narrow(&j, parts)
	tree.SetSome(m, "extends", tree.Texts(j.bases))
	if len(j.properties.Fields) > 0 || len(j.bases) == 0 {
		required := slices.DeleteFunc(j.required, func(n string) bool { return len(j.bases) > 0 && !j.has(n) })
		c.fields(m, j.properties.Members(), j.properties.Pointer, j.extra, required)
	}
	c.additional(m, j.extra, j.hasExtra)
	for _, part := range parts {
		copyKeywords(m, part, source.ObjectRules)
	}
	return ""
}

// joint is what the parts of a conjunction of objects add up to.
type joint struct {
	bases      []string
	properties source.Cursor  // what no base has
	own        map[string]int // where each of them stands
	required   []string
	asked      map[string]bool // those
	extra      source.Cursor
	hasExtra   bool
}

func (j *joint) has(name string) bool { _, ok := j.own[name]; return ok }

func (j *joint) add(name string, v ir.Value) {
	j.own[name] = len(j.properties.Fields)
	j.properties.Fields = append(j.properties.Fields, ir.Member{Name: name, Value: v})
}

// join adds a part.
func (c *Converter) join(j *joint, part source.Cursor) string {
	name := ""
	if part.Has("$ref") || part.Has("allOf") {
		var reason string
		if part, name, reason = c.baseOf(part); reason != "" {
			return reason
		}
	}
	if e, ok := part.Get("additionalProperties"); ok {
		if j.hasExtra && !SameValue(e.Value, j.extra.Value) || e.Kind == ir.Boolean && e.Text == "false" {
			return "allOf closes an object that it adds to"
		}
		j.extra, j.hasExtra = e, true
	}
	for _, name := range c.requiredNames(part) {
		j.required, j.asked[name] = append(j.required, name), true
	}
	if name != "" {
		inherited, _ := part.Get("properties")
		if !c.Resolver.Work.May(source.OfInherited * len(inherited.Fields)) {
			return source.Ended
		}
		j.bases = append(j.bases, name)
		return ""
	}
	for _, p := range part.FieldsOf() {
		if at, ok := j.own[p.Name]; ok {
			if !SameValue(j.properties.Fields[at].Value, p.Value) {
				return "two parts of allOf describe the property " + p.Name
			}
			continue
		}
		j.add(p.Name, p.Value)
	}
	return ""
}

// narrow adds the properties of bases that another part makes required.
func (c *Converter) narrow(j *joint, parts []source.Cursor) {
	for _, part := range parts {
		if !part.Has("$ref") {
			continue
		}
		flat, _ := c.Flatten(part)
		required := SetOf(RequiredOf(flat))
		for _, p := range flat.FieldsOf() {
			if j.asked[p.Name] && !required[p.Name] && !j.has(p.Name) {
				j.add(p.Name, p.Value)
			}
		}
	}
}

// limited converts a name with limits, which is how draft-07 limits what it refers to.
func (c *Converter) limited(m *yaml.Node, parts []source.Cursor) bool {
	at := slices.IndexFunc(parts, func(part source.Cursor) bool { return part.Has("$ref") })
	if at < 0 {
		return false
	}
	ref, limits := parts[at], slices.Delete(slices.Clone(parts), at, at+1)
	if !c.Resolver.OnlyRef {
		limits = append(limits, ref.Without([]string{"$ref"}))
	}
	rules, ok := mergedParts(ref, limits)
	t, typed := rules.Get("type")
	target := c.Resolver.Target(ref)
	of, kinds := c.Resolver.KindsOf(target), c.Resolver.KindsOf(rules)
	other := len(of) == 0 || slices.ContainsFunc(of, func(kind string) bool { return !slices.Contains(kinds, kind) })
	if !ok || rules.TextOf("type") == "object" && len(rules.Fields) == 1 || len(rules.Without(source.RuleKeywords).Without([]string{"type"}).Fields) > 0 ||
		typed && (slices.Contains(t.Words(), "integer") && target.TextOf("type") != "integer" || other) ||
		c.Resolver.Limits(target, rules) != "" || c.reference(m, ref) != "" {
		return false
	}
	copyRules(m, rules)
	return true
}

// baseOf is a part of allOf as one object; the name is empty when it has none, or no fields to take over by name.
func (c *Converter) baseOf(part source.Cursor) (base source.Cursor, name, reason string) {
	flat, reason := c.Flatten(part)
	if reason != "" {
		return source.Cursor{}, "", reason
	}
	if part.Has("$ref") && len(flat.FieldsOf()) > 0 {
		target, _ := c.Resolve(part)
		name = c.Names[target.Pointer]
	}
	return flat, name, ""
}

// Flatten is an object with the properties of all its parts, or says why there is none.
func (c *Converter) Flatten(s source.Cursor) (flat source.Cursor, reason string) {
	f := &flattening{referred: map[string]bool{}, named: map[string]bool{}}
	flat, ok := c.flattenInto(f, s)
	switch {
	case f.ended:
		return flat, "the objects that allOf joins have too many properties, counted where they are used"
	case !ok:
		return flat, "allOf joins something that is not an object"
	case !f.parts:
		return flat, ""
	}
	joined := flat.Without([]string{"properties", "required"})
	joined.Fields = append(joined.Fields, ir.Member{Name: "properties", Value: ir.Value{Kind: ir.Object, Fields: f.properties}},
		ir.Member{Name: "required", Value: ir.Value{Kind: ir.Array, Items: f.required}})
	if f.extra != nil && !flat.Has("additionalProperties") {
		joined.Fields = append(joined.Fields, ir.Member{Name: "additionalProperties", Value: *f.extra})
	}
	return joined, ""
}

// flattening is what the parts of an object add up to.
type flattening struct {
	referred   map[string]bool // pointers of what was joined: a part that comes twice, or in a circle, adds nothing
	parts      bool            // there are any
	properties []ir.Member
	named      map[string]bool // the names of the properties
	required   []ir.Value
	extra      *ir.Value
	ended      bool // no work is left
}

// flattenInto adds an object and its parts, and returns it without them.
func (c *Converter) flattenInto(f *flattening, s source.Cursor) (source.Cursor, bool) {
	for s.Has("$ref") {
		target, ok := c.Resolve(s)
		if !ok || f.referred[target.Pointer] {
			return source.Cursor{Value: ir.Value{Kind: ir.Object}}, ok
		}
		f.referred[target.Pointer] = true
		s = target
	}
	if s.TextOf("type") != "object" && !source.HasAny(s, source.ObjectKeywords) && !s.Has("allOf") ||
		source.HasAny(s, []string{"anyOf", "oneOf", "enum", "const"}) {
		return source.Cursor{}, false
	}
	if c.take(f, s); f.ended {
		return source.Cursor{}, false
	}
	for _, part := range s.ElementsOf("allOf") {
		f.parts = true
		if _, ok := c.flattenInto(f, part); !ok {
			return source.Cursor{}, false
		}
	}
	return s.Without([]string{"allOf"}), true
}

// take adds the keywords of one object.
func (c *Converter) take(f *flattening, s source.Cursor) {
	properties, _ := s.Get("properties")
	if !c.Resolver.Work.May(source.OfJoined + len(properties.Fields)) {
		f.ended = true
		return
	}
	for _, p := range properties.Fields {
		if !f.named[p.Name] {
			f.named[p.Name] = true
			f.properties = append(f.properties, p)
		}
	}
	r, _ := s.Get("required")
	f.required = append(f.required, r.Items...)
	if e, ok := s.Get("additionalProperties"); ok && f.extra == nil {
		f.extra = &e.Value
	}
}

// RequiredOf are the names under required of a schema.
func RequiredOf(s source.Cursor) []string {
	r, _ := s.Get("required")
	return r.Words()
}

// SameValue reports whether two JSON values are equal, whatever the order of members.
func SameValue(a, b ir.Value) bool { return a.Equal(&b) }
