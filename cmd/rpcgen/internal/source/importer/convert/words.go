package convert

import (
	_ "embed" // the table
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the keywords of JSON Schema.
var Fields = source.ReadFields(fieldsText)

// Checked is the use of keywords that types do not say: a schema that has them stays with its type, or they are reported.
const Checked source.Use = "checked"

// words adds what a schema says and does not ask for: title, description, default and so on. Words before fields and branches, and after a type.
func (c *Converter) words(m *yaml.Node, s source.Cursor, where Place) {
	w := tree.NewEntries()
	for _, key := range []string{"title", "description", "$comment"} {
		if t := s.TextOf(key); t != "" {
			w.Set(key, tree.Text(t))
		}
	}
	if s.IsTrue("deprecated") {
		w.Set("deprecated", Deprecation(s))
	}
	c.values(w, s, where)
	for _, k := range s.Members() {
		switch {
		case k.Name == "x-sensitive" && where == Field:
			w.Set("sensitive", tree.Plain("true"))
		case k.Name == "x-mcp-header" && where == Field:
			w.Set("header", tree.Value(k.Value))
		case k.Name == "x-deprecated", k.Name == Tags && IsTagged(s):
		case strings.HasPrefix(k.Name, "x-"):
			w.Set(k.Name, tree.Value(k.Value))
		case Fields().Of("Schema", k.Name).Use != source.Used && k.Name != c.Resolver.References().ID:
			c.Report.Ignore(k.Pointer)
		}
	}
	outer(m, w)
	if tree.IndexOf(m, "type") == 0 {
		m.Content = append(m.Content, w.Node.Content...)
	} else {
		m.Content = append(w.Node.Content, m.Content...)
	}
}

// outer takes from m the words that w says too: those of a schema go before those of what it consists of. Two descriptions become one.
func outer(m *yaml.Node, w *tree.Entries) {
	if own, inner := w.Get("description"), tree.Get(m, "description"); own != nil && inner != nil && own.Value != inner.Value {
		w.Set("description", tree.Text(own.Value+"\n\n"+inner.Value))
	}
	for _, key := range tree.KeysOf(w.Node) {
		tree.Remove(m, key)
	}
}

// Deprecation is true, or what an export of this compiler says more of it.
func Deprecation(s source.Cursor) *yaml.Node {
	if d, ok := s.Get("x-deprecated"); ok {
		return tree.Value(d.Value)
	}
	return tree.Plain("true")
}

// values adds default and examples where the language has them, and keeps a default elsewhere.
func (c *Converter) values(w *tree.Entries, s source.Cursor, where Place) {
	if d, ok := s.Get("default"); ok {
		itself := c.Decisions.Silent[ObjectDefaults] && d.Kind == ir.Object
		if where == Field && !c.Decisions.Silent[s.Pointer] && !itself && mayBe(s, d.Kind) {
			w.Set("default", tree.Value(d.Value))
		} else {
			w.Set("x-default", tree.Value(d.Value))
		}
	}
	if e, ok := s.Get("examples"); ok && len(e.Items) > 0 {
		if where == Inner || c.Decisions.Silent[s.Pointer] {
			w.Set("x-examples", tree.Value(e.Value))
		} else {
			w.Set("examples", tree.Value(e.Value))
		}
	}
}

// mayBe reports whether the `type` of a schema allows a kind. Where text is asked for, the language would take a number for its text.
func mayBe(s source.Cursor, kind ir.Kind) bool {
	t, ok := s.Get("type")
	if !ok {
		return true
	}
	return slices.ContainsFunc(append(t.Elements(), t), func(item source.Cursor) bool {
		return item.Text == kind.String() || kind == ir.Integer && item.Text == "number"
	})
}

// Short writes a mapping as a type expression where that says all.
func Short(m *yaml.Node, where Place) *yaml.Node {
	joinNames(m, where)
	if len(m.Content) == 2 && m.Content[0].Value == "type" {
		return m.Content[1]
	}
	return m
}

// longestExpression is how long a union may be as an expression; longer ones are lists.
const longestExpression = 80

// joinNames writes a list of names as A | B, but for a named type of named branches: there the list reads better.
func joinNames(m *yaml.Node, where Place) {
	u := tree.Get(m, "union")
	if u == nil || tree.Get(m, "by") != nil {
		return
	}
	var names []string
	builtins := true
	for _, b := range u.Content {
		if b.Kind != yaml.ScalarNode {
			return
		}
		names = append(names, b.Value)
		builtins = builtins && strings.ToLower(b.Value) == b.Value // declared types begin otherwise
	}
	expr := strings.Join(names, " | ")
	if where == Declared && !builtins || len(expr) > longestExpression {
		return
	}
	m.Content[tree.IndexOf(m, "union")] = tree.Text("type")
	tree.Set(m, "type", tree.Text(expr))
}

// IsWord reports whether a value is text.
func IsWord(v ir.Value) bool { return v.Kind == ir.Text }

// WithWords puts words, if there are any, before what a schema says, whose own give way to them.
func WithWords(n, words *yaml.Node) *yaml.Node {
	if len(words.Content) == 0 {
		return n
	}
	if n.Kind == yaml.ScalarNode {
		typed := tree.With("type", n)
		typed.Content = append(typed.Content, words.Content...)
		return typed
	}
	tree.Each(n, func(key, value *yaml.Node) {
		if tree.Get(words, key.Value) == nil {
			words.Content = append(words.Content, key, value)
		}
	})
	return words
}
