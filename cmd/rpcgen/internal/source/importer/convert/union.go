package convert

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Unresolved is why a union is weakened.
const Unresolved = "nothing tells the branches apart: the value is kept as it is, and read as one of them by Go code"

// union converts anyOf and oneOf: constants to an enum, something or null to something that may be null, and the rest to a union.
func (c *Converter) union(m *yaml.Node, s source.Cursor) string {
	all, ok := s.Get("anyOf")
	keyword := "anyOf"
	if !ok {
		keyword = "oneOf"
		all, _ = s.Get(keyword)
	}
	items := all.Elements()
	never := func(s source.Cursor) bool { // by its look: Zod writes optional members as a union with one
		not, ok := s.Get("not")
		return s.Kind == ir.Boolean && s.Text == "false" || ok && isAnything(not)
	}
	if rest := slices.DeleteFunc(slices.Clone(items), never); len(rest) > 0 {
		items = rest
	}
	for i := range items {
		items[i] = narrowProperty(items[i])
	}
	if keyword == "oneOf" {
		items = c.distinct(s, items)
	}
	if rest := s.Without([]string{keyword}); source.HasAny(rest, source.Checks) && !c.implied(rest, items) {
		items = branching{c}.distribute(rest, items)
	}
	if IsTagged(s) {
		c.taggedUnion(m, s, items)
		return ""
	}
	if len(items) == 0 {
		c.Fault(all, "", "a union must be a list of schemas")
		return ""
	}
	if constants(m, items, keyword == "oneOf") {
		return ""
	}
	if c.textValues(m, items, keyword == "oneOf") {
		return ""
	}
	if keyword == "anyOf" && len(items) > 1 { // without those that add nothing to the others
		items = oneText(dropSubsumed(branching{c}.leaves(items)))
	}
	var branches []source.Cursor
	for _, item := range items {
		if !isNull(item) {
			branches = append(branches, item)
		}
	}
	if len(branches) > grammar.MostBranches {
		return fmt.Sprintf("the union has more than %d branches", grammar.MostBranches)
	}
	if keyword == "oneOf" && c.Resolver.NullsOf(items) > 1 {
		return "null fits several of its branches"
	}
	if names := nullableNames(c, branches); len(names) > 1 {
		return "null fits several of its branches, which have names: " + strings.Join(names, ", ")
	}
	c.OfNamed[s.Pointer] = !slices.ContainsFunc(branches, func(b source.Cursor) bool { return !c.named(b) })
	if rest := c.Decisions.Misread[s.Pointer]; rest != "" {
		c.Report.Weaken(s.Pointer, rest)
	}
	c.Tagged[s.Pointer] = len(branches) == 1 && IsTagged(branches[0])
	c.branches(m, branches)
	if c.Decisions.Context[s.Pointer] {
		tree.Set(m, "by", tree.Text("context"))
		c.Report.Weaken(s.Pointer, partialCheck(c, m, s))
	}
	if len(branches) < len(items) {
		AllowNull(m)
	}
	return ""
}

// Tags says of a union in anyOf, which an importer wrote, what tells its branches apart: property, the tags of all branches in their order, and open.
const Tags = "tags"

// IsTagged reports whether a schema is a union of which an importer says so.
func IsTagged(s source.Cursor) bool {
	tags, _ := s.Path(Tags, Tags)
	all, _ := s.Get("anyOf")
	return len(tags.Items) > 0 && len(tags.Items) == len(all.Items) && !slices.ContainsFunc(tags.Items, func(v ir.Value) bool { return v.Kind != ir.Text })
}

// taggedUnion converts a union with tags.
func (c *Converter) taggedUnion(m *yaml.Node, s source.Cursor, branches []source.Cursor) {
	c.Tagged[s.Pointer] = true
	by, _ := s.Get(Tags)
	list, property := tree.Mapping(), by.TextOf("property")
	list.Style = yaml.FlowStyle
	tags, _ := by.Get(Tags)
	for i, branch := range branches {
		n := c.Schema(branch, Inner)
		if n.Kind != yaml.ScalarNode {
			list.Style = 0
		}
		tree.Add(list, tags.Items[i].Text, n)
	}
	tree.Set(m, "union", list)
	tree.Set(m, "by", tree.Text(property))
	if slices.Contains([]string{"kind", "presence", "context"}, property) {
		tree.Set(m, "by", tree.Value(ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "property", Value: ir.Value{Kind: ir.Text, Text: property}}}}))
	}
	if open, _ := by.Get("open"); open.Text == "true" {
		tree.Set(m, "open", tree.Plain("true"))
	}
}

// partialCheck gives a union that nothing tells apart, and that refers to too much, a schema of a part of it. It returns how far it is checked.
func partialCheck(c *Converter, m *yaml.Node, s source.Cursor) string {
	if c.Decisions.OpaqueAt[s.Pointer] == "" {
		return Unresolved
	}
	v, has, lacks, ok := checkedInPart(c, s)
	if !ok {
		return Unresolved
	}
	tree.Set(m, "schema", tree.Value(v))
	if lacks == 0 {
		return Unresolved + "; all that the branches refer to is checked"
	}
	return fmt.Sprintf("%s; of the definitions that the branches refer to, %d are checked, and %d that these refer to are not", Unresolved, has, lacks)
}

// implied reports whether all that is said with a union is a type of scalars, which its branches have in any case.
func (c *Converter) implied(rest source.Cursor, items []source.Cursor) bool {
	kind := rest.TextOf("type")
	if source.HasAny(rest.Without([]string{"type"}), source.Checks) {
		return false
	}
	for _, item := range items {
		s := c.Resolver.Target(item)
		other := func(v ir.Value) bool {
			return !(v.Kind == ir.Text && kind == "string" || v.Kind == ir.Integer && (kind == "integer" || kind == "number"))
		}
		if listed := source.ValuesOf(s); kind != "string" || s.TextOf("type") != "string" {
			if len(listed) == 0 || slices.ContainsFunc(listed, other) {
				return false
			}
		}
	}
	return true
}

// textValues converts a union of texts to one enum, which is open where any other text fits as well; with exactly, where a value fits one branch, it is not.
func (c *Converter) textValues(m *yaml.Node, items []source.Cursor, exactly bool) bool {
	var values []ir.Value
	open := false
	for _, item := range items {
		s := c.Resolver.Target(item)
		listed := source.ValuesOf(s)
		switch {
		case listed == nil && anyOfType(s) == ir.Text:
			open = true
		case listed == nil || !ofType(s, listed) || slices.ContainsFunc(listed, func(v ir.Value) bool { return v.Kind != ir.Text }) ||
			source.HasAny(s.Without([]string{"type", "enum", "const"}), source.Checks):
			return false
		}
		for _, v := range listed {
			switch known := slices.ContainsFunc(values, func(other ir.Value) bool { return other.Text == v.Text }); {
			case known && exactly:
				return false
			case !known:
				values = append(values, v)
			}
		}
	}
	if len(values) < 2 || open && exactly {
		return false
	}
	tree.Set(m, "enum", tree.Value(ir.Value{Kind: ir.Array, Items: values}))
	if open {
		tree.Set(m, "open", tree.Plain("true"))
	}
	return true
}

func (c *Converter) branches(m *yaml.Node, branches []source.Cursor) {
	switch len(branches) {
	case 0:
		tree.Set(m, "union", tree.Flow())
		return
	case 1:
		n := c.Schema(branches[0], Inner)
		if n.Kind == yaml.ScalarNode {
			tree.Set(m, "type", n)
		} else {
			m.Content = append(m.Content, n.Content...)
		}
		return
	}
	list := tree.Flow()
	for _, b := range branches {
		n := c.Schema(b, Inner)
		if n.Kind != yaml.ScalarNode {
			list.Style = 0
		}
		list.Content = append(list.Content, alternatives(b, n)...)
	}
	tree.Set(m, "union", list)
}

// alternatives gives each kind of `type: [string, integer]` within a union a branch of its own.
func alternatives(s source.Cursor, n *yaml.Node) []*yaml.Node {
	t, _ := s.Get("type")
	if t.Kind != ir.Array || n.Kind != yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	return ir.Each(strings.Split(n.Value, " | "), tree.Text)
}

// nullableNames are the names of the types among some branches that take null and other values.
func nullableNames(c *Converter, branches []source.Cursor) (names []string) {
	for _, b := range branches {
		kinds := c.Resolver.KindsOf(b)
		if !b.Has("$ref") || len(kinds) < 2 || !slices.Contains(kinds, "null") {
			continue
		}
		target, message, _ := c.Resolver.RefersTo(b)
		if name := c.Names[target.Pointer]; message == "" && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isNull reports whether a schema takes null and nothing else.
func isNull(s source.Cursor) bool {
	if source.HasAny(s.Without([]string{"type", "const"}), source.Checks) {
		return false
	}
	t, typed := s.Get("type")
	v, isConst := s.Get("const")
	if isConst {
		return v.Kind == ir.Null && ofType(s, []ir.Value{v.Value})
	}
	return typed && t.Text == "null"
}

// constants converts a union of constants to an enum whose values have words of their own. It is open where any other value of their type fits
// as well; with exactly, a value fits one branch only, and there is no enum for others.
func constants(m *yaml.Node, items []source.Cursor, exactly bool) bool {
	values, seen := tree.Mapping(), map[string]bool{}
	kind, others := ir.Null, ir.Null
	for _, item := range items {
		v, ok := item.Get("const")
		if of := anyOfType(item); !ok && of != ir.Null && others == ir.Null && !exactly {
			others = of
			continue
		}
		if !ok || v.Kind != ir.Text && v.Kind != ir.Integer || kind != ir.Null && v.Kind != kind || seen[v.Text] || !ofType(item, []ir.Value{v.Value}) {
			return false
		}
		kind, seen[v.Text] = v.Kind, true
		values.Content = append(values.Content, tree.Value(v.Value), valueWords(item))
	}
	if kind == ir.Null || others != ir.Null && (others != kind || len(seen) < 2) {
		return false
	}
	tree.Set(m, "enum", BareEnum(values))
	if others != ir.Null {
		tree.Set(m, "open", tree.Plain("true"))
	}
	return true
}

// BareEnum is the values of an enum as a list, where nothing is said of any.
func BareEnum(values *yaml.Node) *yaml.Node {
	list := tree.Flow()
	for i := 0; i+1 < len(values.Content); i += 2 {
		if !tree.IsEmpty(values.Content[i+1]) {
			return values
		}
		list.Content = append(list.Content, values.Content[i])
	}
	return list
}

// anyOfType is the kind of the values of a schema that takes all texts, or all integers; otherwise null.
func anyOfType(s source.Cursor) ir.Kind {
	switch t := s.TextOf("type"); {
	case source.HasAny(s.Without([]string{"type"}), source.Checks) || s.Has("contentEncoding"):
	case t == "string" && !s.Has("format"):
		return ir.Text
	case t == "integer":
		return ir.Integer
	}
	return ir.Null
}

// valueWords is what a schema says of a constant: nothing, a description, or a mapping.
func valueWords(s source.Cursor) *yaml.Node {
	doc, title := s.TextOf("description"), s.TextOf("title")
	deprecated := s.IsTrue("deprecated")
	switch {
	case title == "" && !deprecated && doc == "":
		return tree.Plain("")
	case title == "" && !deprecated:
		return tree.Text(doc)
	}
	m := tree.Mapping()
	tree.SetSome(m, "title", tree.Text(title))
	tree.SetSome(m, "description", tree.Text(doc))
	if deprecated {
		tree.Set(m, "deprecated", Deprecation(s))
	}
	return m
}

// named reports whether a branch is an object with a name of its own, or adds to one.
func (c *Converter) named(s source.Cursor) bool {
	if all, ok := s.Get("allOf"); ok && !s.Has("$ref") {
		return slices.ContainsFunc(all.Elements(), c.named)
	}
	if !s.Has("$ref") {
		return false
	}
	target, message, _ := c.Resolver.RefersTo(s)
	kinds := c.Resolver.KindsOf(target)
	return message == "" && c.Names[target.Pointer] != "" && (len(kinds) == 1 && kinds[0] == "object" ||
		source.HasAny(target, []string{"allOf", "anyOf", "oneOf"}))
}
