package merge

import (
	"cmp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// order puts the names of x-order first: the fields, values or branches of a schema, or the entries of a section.
func (o *Overlay) order(target, names *yaml.Node, place *grammar.Place) {
	if names.Kind != yaml.SequenceNode {
		o.Fault(names, "write [a, b]", "%s must be a list of names", orderKey)
		return
	}
	ordered := collection(target, place)
	if ordered == nil {
		o.Fault(names, "it belongs next to fields, enum or union, or into a section", "%s finds nothing to order here", orderKey)
		return
	}
	before := tree.Clone(ordered)
	missing, twice := moveFirst(ordered, names.Content)
	switch {
	case missing != nil:
		o.Fault(missing, o.closest(missing.Value, ordered), "there is no %q to order", missing.Value)
	case twice != nil:
		o.Fault(twice, "", "%q is there twice", twice.Value)
	case tree.Same(before, ordered):
		o.Fault(names, "remove it", "the order is so already: the entry changes nothing")
	default:
		o.Used++
	}
}

// collection is what x-order orders in a mapping: what hangs below it, or its own entries.
func collection(target *yaml.Node, place *grammar.Place) *yaml.Node {
	if place.Each != nil && place.Key("type") == nil {
		return target
	}
	for _, key := range []string{"fields", "properties", "enum", "union", "anyOf", "oneOf"} {
		if n := tree.Get(target, key); n != nil && n.Kind != yaml.ScalarNode {
			return n
		}
	}
	return nil
}

// moveFirst moves named entries or elements to the front, in order. It returns the first name that is not there, and the first that is there twice.
func moveFirst(n *yaml.Node, names []*yaml.Node) (missing, twice *yaml.Node) {
	step, plain := 1, func(name string) string { return name }
	if n.Kind == yaml.MappingNode {
		step, plain = 2, func(name string) string { return strings.TrimSuffix(name, "?") }
	}
	at := map[string]int{}
	for i := len(n.Content) - step; i >= 0; i -= step {
		at[plain(n.Content[i].Value)] = i
	}
	var content []*yaml.Node
	moved := map[int]bool{}
	for _, name := range names {
		switch i, ok := at[plain(name.Value)]; {
		case !ok:
			missing = cmp.Or(missing, name)
		case moved[i]:
			twice = cmp.Or(twice, name)
		default:
			moved[i] = true
			content = append(content, n.Content[i:i+step]...)
		}
	}
	for i := 0; i < len(n.Content); i += step {
		if !moved[i] {
			content = append(content, n.Content[i:i+step]...)
		}
	}
	n.Content = content
	return missing, twice
}
