package importer

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// order puts the names of x-order first: the fields, values or branches of a schema, or the entries of a section.
func (o *overlay) order(target, names *yaml.Node, place *grammar.Place) {
	if names.Kind != yaml.SequenceNode {
		o.fault(names, "write [a, b]", "%s must be a list of names", orderKey)
		return
	}
	ordered := collection(target, place)
	if ordered == nil {
		o.fault(names, "it belongs beside fields, enum or union, or into a section", "%s finds nothing to order here", orderKey)
		return
	}
	before := clone(ordered)
	at := 0
	for _, name := range names.Content {
		from := elementNamed(ordered, name.Value)
		if from < 0 {
			o.fault(name, closest(name.Value, ordered), "there is no %q to order", name.Value)
			return
		}
		if from < at {
			o.fault(name, "", "%q is there twice", name.Value)
			return
		}
		at = moveTo(ordered, from, at)
	}
	if same(before, ordered) {
		o.fault(names, "remove it", "the order is so already: the entry changes nothing")
		return
	}
	o.used++
}

// collection is what x-order orders in a mapping: what hangs below it, or its own entries.
func collection(target *yaml.Node, place *grammar.Place) *yaml.Node {
	if place.Each != nil && place.Key("type") == nil {
		return target
	}
	for _, key := range []string{"fields", "properties", "enum", "union", "anyOf", "oneOf"} {
		if n := get(target, key); n != nil && n.Kind != yaml.ScalarNode {
			return n
		}
	}
	return nil
}

// elementNamed is where an entry or an element stands among the content; -1 when it does not.
func elementNamed(n *yaml.Node, name string) int {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i < len(n.Content); i += step {
		if v := n.Content[i].Value; v == name || n.Kind == yaml.MappingNode && strings.TrimSuffix(v, "?") == strings.TrimSuffix(name, "?") {
			return i
		}
	}
	return -1
}

// moveTo moves an element, and returns where the next one goes.
func moveTo(n *yaml.Node, from, to int) int {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	moved := slices.Clone(n.Content[from : from+step])
	n.Content = slices.Insert(slices.Delete(n.Content, from, from+step), to, moved...)
	return to + step
}
