package convert

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// kinds converts a schema by its `type`, or by the kind that its keywords speak of.
func (c *Converter) kinds(m *yaml.Node, s source.Cursor) string {
	kinds, reason := c.typesOf(s)
	if reason != "" {
		return reason
	}
	nullable := len(kinds) > 1 && slices.Contains(kinds, "null")
	if nullable {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	}
	if slices.Contains(kinds, "number") {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "integer" })
	}
	if len(kinds) == 1 {
		reason = c.kind(m, s, kinds[0])
	} else {
		reason = c.several(m, s, kinds)
	}
	if nullable {
		AllowNull(m)
	}
	return reason
}

// typesOf reads `type`. Without one, all kinds fit, and keywords limit values of their own kinds alone.
func (c *Converter) typesOf(s source.Cursor) (kinds []string, reason string) {
	t, ok := s.Get("type")
	if !ok {
		if c.optional[s.Pointer] && c.Resolver.AssumedKind(s) == "object" && // YAML often has such a key alone, for null
			!source.HasAny(s, []string{"required", "minProperties", "dependentRequired", "dependencies", "allOf", "anyOf", "oneOf", "not", "if", "default"}) {
			c.Report.Weaken(s.Pointer, "it says no type, and is taken for an object or null: values of other kinds are refused")
			return []string{"object", "null"}, ""
		}
		if kind := c.Resolver.AssumedKind(s); kind != "" {
			c.Report.Weaken(s.Pointer, "it says no type, and is taken for an "+kind+": values of other kinds are refused")
			return []string{kind}, ""
		}
		if source.HasAny(s, source.Checks) {
			return nil, "it has no type, and its keywords limit values of their own kinds alone"
		}
		return []string{"any"}, ""
	}
	items := []source.Cursor{t}
	if t.Kind == ir.Array {
		items = t.Elements()
	}
	for _, item := range items {
		if !IsWord(item.Value) || !slices.Contains(JSONKinds, item.Text) {
			c.Fault(item, "the types are "+strings.Join(JSONKinds, ", "), "%s is not a type of JSON Schema", item.Value)
			continue
		}
		kinds = append(kinds, item.Text)
	}
	if len(kinds) == 0 {
		return []string{"any"}, ""
	}
	return kinds, ""
}

// JSONKinds are the kinds that `type` names.
var JSONKinds = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

// several converts a schema of several kinds: an expression, or a union where keywords limit some of them.
func (c *Converter) several(m *yaml.Node, s source.Cursor, kinds []string) string {
	branches := tree.Flow()
	for _, kind := range kinds {
		b := tree.Mapping()
		if reason := c.kind(b, s, kind); reason != "" {
			return reason
		}
		b = Short(b, Inner)
		c.Origins[b] = s
		branches.Content = append(branches.Content, b)
	}
	tree.Set(m, "union", branches)
	return ""
}

// kind converts a schema of one kind.
func (c *Converter) kind(m *yaml.Node, s source.Cursor, kind string) string {
	switch kind {
	case "object":
		return c.object(m, s)
	case "array":
		return c.list(m, s)
	case "string":
		stringType(m, s)
	case "integer", "number":
		numberType(m, s, kind)
	default:
		tree.Set(m, "type", tree.Text(kind))
	}
	return ""
}

// AllowNull lets null pass as well as what a mapping says.
func AllowNull(m *yaml.Node) {
	if u := tree.Get(m, "union"); u != nil && u.Kind == yaml.MappingNode {
		tree.Add(u, "null", tree.Plain("null"))
		return
	} else if u != nil {
		u.Content = append(u.Content, tree.Plain("null"))
		return
	}
	t := tree.Get(m, "type")
	if t != nil {
		t.Value += " | null"
		return
	}
	base := "object | null"
	switch {
	case tree.Get(m, "list") != nil, tree.Get(m, "tuple") != nil:
		base = "array | null"
	case tree.Get(m, "enum") != nil:
		base = "string | null"
		if v := tree.Get(m, "enum").Content; len(v) > 0 && v[0].ShortTag() == "!!int" {
			base = "integer | null"
		}
	case tree.Get(m, "const") != nil:
		only := tree.Mapping()
		only.Content = m.Content
		m.Content = nil
		tree.Set(m, "union", tree.Flow(only, tree.Plain("null")))
		return
	}
	tree.First(m, "type", tree.Text(base))
}

func (c *Converter) list(m *yaml.Node, s source.Cursor) string {
	if prefix, rest := prefixOf(s); len(prefix) > 0 {
		return c.tuple(m, s, prefix, rest)
	}
	items, ok := s.Get("items")
	if items.Kind == ir.Array { // draft-07: an empty tuple
		items, ok = s.Get("additionalItems")
	}
	if !ok {
		tree.Set(m, "type", tree.Text("list<any>"))
	} else if e := c.Schema(items, Inner); e.Kind == yaml.ScalarNode {
		tree.Set(m, "type", tree.Text("list<"+e.Value+">"))
	} else {
		tree.Set(m, "list", e)
	}
	copyKeywords(m, s, source.ListRules)
	return ""
}

func stringType(m *yaml.Node, s source.Cursor) {
	format := s.TextOf("format")
	name := ir.TypeOfFormat(format)
	if format == "byte" || format == "base64" || s.TextOf("contentEncoding") == "base64" {
		name = "bytes"
	}
	known := name != ""
	name = cmp.Or(name, "string")
	if name == "datetime" && source.HasAny(s, source.TextRules) { // a time does not keep its text
		tree.Set(m, "type", tree.Text("string"))
		tree.Set(m, "format", tree.Text(format))
	} else {
		tree.Set(m, "type", tree.Text(name))
	}
	copyKeywords(m, s, source.TextRules)
	if format != "" && !known {
		tree.Set(m, "x-format", tree.Text(format))
	}
}

func numberType(m *yaml.Node, s source.Cursor, kind string) {
	format := s.TextOf("format")
	known := slices.Contains([]string{"", "double", "float"}, format)
	if kind == "integer" {
		var bounded bool
		if kind, bounded = widthOf(s, format); kind != "integer" {
			known = true
		}
		if bounded {
			s = s.Without([]string{"minimum", "maximum"})
		}
	}
	tree.Set(m, "type", tree.Text(kind))
	copyKeywords(m, s, source.NumberRules)
	if !known {
		tree.Set(m, "x-format", tree.Text(format))
	}
}

// widths are the integer types with the bounds that say them. Plain integers have 64 bits and a sign.
var widths = []struct{ name, low, high string }{
	{"int32", "-2147483648", "2147483647"}, {"uint32", "0", "4294967295"}, {"uint64", "0", "18446744073709551615"},
}

// widthOf is the type of an integer by its format, or by bounds that are those of a type.
func widthOf(s source.Cursor, format string) (name string, bounded bool) {
	low, _ := s.Get("minimum")
	high, _ := s.Get("maximum")
	for _, w := range widths {
		if low.Text == w.low && high.Text == w.high {
			return w.name, true
		}
	}
	if slices.Contains([]string{"int32", "int64", "uint32", "uint64"}, format) {
		return format, false
	}
	return "integer", false
}

// copy takes over keywords that both languages spell alike.
func copyKeywords(m *yaml.Node, s source.Cursor, keywords []string) {
	for _, k := range keywords {
		if v, ok := s.Get(k); ok {
			tree.Set(m, k, tree.Value(v.Value))
		}
	}
}

// copyRules takes over the limits that are siblings of a reference.
func copyRules(m *yaml.Node, s source.Cursor) { copyKeywords(m, s, source.RuleKeywords) }
