package merge

import (
	"slices"
	"sort"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// lift gives a value the form of a mapping, so that another can be merged over it; nil where it has none.
func lift(n *yaml.Node, place *grammar.Place) *yaml.Node {
	switch {
	case n.Kind == yaml.MappingNode:
		return n
	case n.Kind == yaml.ScalarNode && place.Key("union") != nil && !(n.ShortTag() == "!!bool" && place.Takes(grammar.Boolean)):
		return tree.With("type", n)
	case n.Kind == yaml.ScalarNode && n.Value != "" && place.Name == "enumValue":
		return tree.With("description", n)
	case n.Kind == yaml.ScalarNode && n.Value == "" && place.Empty && len(place.Keys) > 0:
		return tree.Mapping()
	case n.Kind == yaml.SequenceNode && place.Name == "enum":
		m := tree.Mapping()
		m.Content = fileKeys(n.Content)
		return m
	}
	return nil
}

// fileKeys are the keys of a mapping that says nothing of them, with their values.
func fileKeys(keys []*yaml.Node) (content []*yaml.Node) {
	for _, key := range keys {
		content = append(content, key, tree.Plain(""))
	}
	return content
}

// forms are the keys of schemas that exclude each other, as the checker has them.
var formKeys = map[string][]string{
	"object": {"fields", "properties", "required", "extends", "allOf", "require", "additional", "additionalProperties"},
	"list":   {"items", "list"},
	"tuple":  {"tuple", "rest"},
	"map":    {"map"},
	"union":  {"union", "anyOf", "oneOf", "by", "in", "absent"},
	"ref":    {"$ref"},
	"enum":   {"enum"},
	"const":  {"const"},
}

// formOf is the form of a schema; empty when only its type says it.
func formOf(n *yaml.Node) string {
	form := ""
	tree.Each(n, func(key, value *yaml.Node) {
		for f, keys := range formKeys {
			if slices.Contains(keys, key.Value) && !slices.Contains([]string{"by", "in", "absent"}, key.Value) && !IsNothing(value) {
				form = f
			}
		}
	})
	return form
}

// changeForm takes the old form out of a schema that the overlay gives another one.
func (o *Overlay) changeForm(target, over *yaml.Node, place *grammar.Place) {
	if place.Key("union") == nil {
		return
	}
	form := formOf(over)
	retyped := tree.Get(over, "type") != nil && formOf(target) != "" && form == ""
	if form == "" && !retyped {
		return
	}
	for f, keys := range formKeys {
		if f != form {
			for _, key := range keys {
				tree.Remove(target, key)
			}
		}
	}
	if tree.Get(over, "type") == nil && form != "enum" && form != "const" {
		tree.Remove(target, "type")
	}
}

// leaves counts the values of a tree.
func leaves(n *yaml.Node) int {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return 1
	}
	count := 0
	tree.Each(n, func(_, value *yaml.Node) { count += leaves(value) })
	return count
}

// byGrammar orders the keys of a document, so that a section that was added stands in its place.
func byGrammar(root *yaml.Node) {
	rank := func(key string) int {
		at := slices.Index(grammar.Document().Names(), key)
		if at < 0 {
			return len(grammar.Document().Names())
		}
		return at
	}
	type entry struct{ key, value *yaml.Node }
	var all []entry
	tree.Each(root, func(key, value *yaml.Node) { all = append(all, entry{key, value}) })
	sort.SliceStable(all, func(i, j int) bool { return rank(all[i].key.Value) < rank(all[j].key.Value) })
	for i, e := range all {
		root.Content[2*i], root.Content[2*i+1] = e.key, e.value
	}
}
