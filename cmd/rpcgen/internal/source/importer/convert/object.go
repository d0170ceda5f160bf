package convert

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// object converts an object: fields, a map, or anything.
func (c *Converter) object(m *yaml.Node, s source.Cursor) string {
	properties, listed := s.Get("properties")
	extra, hasExtra := s.Get("additionalProperties")
	closed := hasExtra && extra.Kind == ir.Boolean && extra.Text == "false"
	if listed && properties.Kind != ir.Object {
		c.Fault(properties, "", "properties must be an object, not %s", properties.Kind)
		return ""
	}
	required := c.requiredNames(s)
	ofTool := c.Report.Layout == report.ToolsList && s.Pointer != c.Resolver.Base.Pointer // a part: servers that are asked write `properties: {}` for maps
	if len(properties.Fields) == 0 && len(required) == 0 && !closed && (hasExtra || !listed || ofTool) {
		c.mapOf(m, extra, hasExtra)
		copyKeywords(m, s, source.ObjectRules)
		return c.dependent(m, s)
	}
	if len(properties.Fields) > grammar.MostMembers || len(required) > grammar.MostMembers {
		return fmt.Sprintf("the object has more than %d fields", grammar.MostMembers)
	}
	c.fields(m, properties.Members(), properties.Pointer, extra, required)
	c.additional(m, extra, hasExtra)
	copyKeywords(m, s, source.ObjectRules)
	return c.dependent(m, s)
}

// requiredNames are the names that an object asks for.
func (c *Converter) requiredNames(s source.Cursor) []string {
	all, ok := s.Get("required")
	if !ok {
		return nil
	}
	if all.Kind != ir.Array {
		c.Fault(all, "", "required must be a list of names, not %s", all.Kind)
		return nil
	}
	var names []string
	for _, item := range all.Elements() {
		if !IsWord(item.Value) {
			c.Fault(item, "", "required lists names, and this is %s", item.Kind)
			continue
		}
		names = append(names, item.Text)
	}
	return names
}

func (c *Converter) mapOf(m *yaml.Node, extra source.Cursor, typed bool) {
	if !typed || isAnything(extra) {
		tree.Set(m, "type", tree.Text("object"))
		return
	}
	if e := c.Schema(extra, Inner); e.Kind == yaml.ScalarNode {
		tree.Set(m, "type", tree.Text("map<"+e.Value+">"))
	} else {
		tree.Set(m, "map", e)
	}
}

// isAnything reports whether a schema allows every value and says nothing of it.
func isAnything(s source.Cursor) bool {
	return s.Kind == ir.Boolean && s.Text == "true" || s.Kind == ir.Object && len(s.Fields) == 0
}

// fields converts properties, and names that are only required. No name that ends in ? stands under fields, so such an object keeps the form of JSON Schema.
func (c *Converter) fields(m *yaml.Node, all []source.Member, pointer string, extra source.Cursor, required []string) {
	listed := map[string]bool{}
	for _, p := range all {
		listed[p.Name] = true
	}
	for _, name := range required {
		if !listed[name] {
			listed[name] = true
			all = append(all, source.Member{Name: name, Cursor: requiredMember(extra, pointer)})
		}
	}
	marked := slices.ContainsFunc(all, func(p source.Member) bool { return strings.HasSuffix(p.Name, "?") })
	must, fields := SetOf(required), tree.NewEntries()
	for _, p := range all {
		c.optional[p.Pointer] = !must[p.Name]
		key, n := p.Name, c.Schema(p.Cursor, Field)
		if must[p.Name] {
			WithoutDefault(n)
		} else if !marked {
			key += "?"
		}
		fields.Set(key, n)
	}
	if !marked {
		tree.Set(m, "fields", fields.Node)
		return
	}
	tree.Set(m, "properties", fields.Node)
	tree.SetSome(m, "required", tree.Texts(required))
}

// requiredMember is the schema of a member that is required and not among the properties.
func requiredMember(extra source.Cursor, pointer string) source.Cursor {
	if extra.Kind == ir.Object || extra.Kind == ir.Boolean {
		return extra
	}
	return source.Cursor{Value: ir.Value{Kind: ir.Boolean, Text: "true"}, Pointer: pointer}
}

// SetOf is a list of names as a set.
func SetOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// WithoutDefault keeps a default that can never be used out of the way.
func WithoutDefault(n *yaml.Node) {
	if i := tree.IndexOf(n, "default"); i >= 0 {
		n.Content[i].Value = "x-default"
	}
}

func (c *Converter) additional(m *yaml.Node, extra source.Cursor, there bool) {
	switch {
	case !there:
	case extra.Kind == ir.Boolean && extra.Text == "false":
		tree.Set(m, "additional", tree.Plain("false"))
	case isAnything(extra):
		tree.Set(m, "additional", tree.Text("any"))
	default:
		tree.Set(m, "additional", c.Schema(extra, Inner))
	}
}

// requirements reads anyOf and oneOf that only name required properties, which JSON Schema writes for "at least one of" and "exactly one of".
func (c *Converter) requirements(m *yaml.Node, s source.Cursor) (reason string, done bool) {
	var words []string
	rest := s
	for _, how := range []struct{ keyword, between string }{{"anyOf", " | "}, {"oneOf", " ^ "}} {
		if names := soleRequired(s, how.keyword); names != nil {
			words = append(words, strings.Join(names, how.between))
			rest = rest.Without([]string{how.keyword})
		}
	}
	if words == nil {
		if kinds := c.Resolver.KindsOf(s); len(kinds) == 1 && kinds[0] == "object" && onlyRelates(s) {
			return "its branches only relate properties", true
		}
		return "", false
	}
	if reason := c.form(m, rest, Inner); reason != "" {
		return reason, true
	}
	if tree.Get(m, "fields") == nil {
		return "it relates properties that it does not list", true
	}
	require(m, words...)
	return "", true
}

// onlyRelates reports whether an object has fields, and a union whose branches say no more than which of them there are.
func onlyRelates(s source.Cursor) bool {
	if !source.HasAny(s, []string{"properties", "allOf", "$ref"}) {
		return false
	}
	relates := false
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, branch := range s.ElementsOf(keyword) {
			if source.HasAny(branch.Without([]string{"required", "not", "type", "minProperties", "maxProperties"}), source.Checks) ||
				!branch.Has("required") && !branch.Has("not") {
				return false
			}
			relates = true
		}
	}
	return relates
}

// soleRequired returns the names of [{required: [a]}, {required: [b]}]; nil when a schema has another form.
func soleRequired(s source.Cursor, keyword string) []string {
	var names []string
	for _, item := range s.ElementsOf(keyword) {
		r, ok := item.Get("required")
		if !ok || len(item.Fields) != 1 || len(r.Items) != 1 || !IsWord(r.Items[0]) || !simpleName(r.Items[0].Text) {
			return nil
		}
		names = append(names, r.Items[0].Text)
	}
	return names
}

// simpleName reports whether a name can stand in an expression of require.
func simpleName(name string) bool { return name != "" && !strings.ContainsAny(name, " |^->?()") }

func require(m *yaml.Node, words ...string) {
	list := tree.Get(m, "require")
	if list == nil {
		list = tree.Flow()
		tree.Set(m, "require", list)
	}
	list.Content = append(list.Content, ir.Each(words, tree.Text)...)
}

// dependent converts dependentRequired, which draft-07 calls dependencies: a -> b.
func (c *Converter) dependent(m *yaml.Node, s source.Cursor) string {
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		depends, ok := s.Get(keyword)
		if ok && tree.Get(m, "fields") == nil {
			return "it relates properties that it does not list"
		}
		for _, d := range depends.Members() {
			if d.Kind != ir.Array {
				return "a schema that depends on a property cannot become a Go type"
			}
			for _, other := range d.Elements() {
				if !IsWord(other.Value) || !simpleName(other.Text) || !simpleName(d.Name) {
					return keyword + " names properties that no expression can hold"
				}
				require(m, d.Name+" -> "+other.Text)
			}
		}
	}
	return ""
}
