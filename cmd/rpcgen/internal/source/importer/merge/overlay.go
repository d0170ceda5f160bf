package merge

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Keys that an overlay has in addition to those of the language.
const (
	orderKey = "x-order" // names that come first, in this order; the others follow as they were
	basesKey = "x-bases" // at the top: the types that may be found again as bases, or true for all
)

// Overlay is a partial document that is merged over an imported one.
type Overlay struct {
	file   string
	root   *yaml.Node
	pinned map[*yaml.Node]bool // nodes of the result that the overlay brought
	Done   map[*yaml.Node]bool // entries that were taken into account before merging
	Used   int
	faults source.Faults
}

// Overlays are merged one after the other.
type Overlays []*Overlay

// ReadOverlays parses overlays.
func ReadOverlays(sources []source.Source) (Overlays, error) {
	var all Overlays
	var faults source.Faults
	for i := 0; i < len(sources) && !source.TextOnly; i++ {
		o, err := readOverlay(sources[i])
		faults = append(faults, err...)
		all = append(all, o)
	}
	return all, faults.Err()
}

func readOverlay(from source.Source) (*Overlay, source.Faults) {
	document, faults := format.Parse(from.Name, from.Text)
	if faults.HasErrors() {
		return nil, source.FaultsOf(faults)
	}
	o := &Overlay{file: from.Name, root: root(document), pinned: map[*yaml.Node]bool{}, Done: map[*yaml.Node]bool{}}
	if o.root.Kind != yaml.MappingNode {
		o.Fault(o.root, "begin with types:, methods: or another section", "an overlay must be a mapping")
	}
	return o, o.faults
}

// Fault is a fault of the overlay, at one of its nodes.
func (o *Overlay) Fault(n *yaml.Node, help, form string, args ...any) {
	o.faults = append(o.faults, &source.Fault{Pos: o.pos(n), Message: fmt.Sprintf(form, args...), Help: help})
}

func (o *Overlay) pos(n *yaml.Node) diag.Pos {
	return diag.Pos{File: o.file, Line: n.Line, Col: n.Column}
}

// Bases are the types that the last overlay to speak of bases lets be found again; nil when none does.
func (all Overlays) Bases() (*yaml.Node, *Overlay) { return all.Last(basesKey) }

// Last is the value at a path of keys in the last overlay that has one; nil when none has.
func (all Overlays) Last(path ...string) (*yaml.Node, *Overlay) {
	for _, o := range slices.Backward(all) {
		n := o.root
		for _, key := range path {
			n = tree.Get(n, key)
		}
		if n != nil {
			return n, o
		}
	}
	return nil, nil
}

// owner is the overlay that brought a node of the result; nil when none did.
func (all Overlays) owner(n *yaml.Node) *Overlay {
	return ir.First(all, func(o *Overlay) bool { return o.pinned[n] })
}

// Apply merges the overlays over a document, and returns how many of their entries changed something.
func (all Overlays) Apply(root *yaml.Node) (used int, err error) {
	var faults source.Faults
	for i := 0; i < len(all) && !source.TextOnly; i++ {
		o := all[i]
		o.apply(root)
		used += o.Used
		faults = append(faults, o.faults...)
	}
	return used, faults.Err()
}

func (o *Overlay) apply(root *yaml.Node) {
	for _, taken := range o.Done {
		if taken {
			o.Used++
		}
	}
	o.merge(root, o.root, grammar.Document())
	byGrammar(root)
}

// merge merges a mapping of the overlay over the one that stands at the same place.
func (o *Overlay) merge(target, over *yaml.Node, place *grammar.Place) {
	o.changeForm(target, over, place)
	t := newMerging(target, place)
	tree.Each(over, func(key, value *yaml.Node) {
		switch {
		case key.Value == orderKey || key.Value == basesKey || o.Done[value]:
		case key.Value == "rpcgen" && place == grammar.Document():
			if value.Value != "v1" {
				o.Fault(value, "write rpcgen: v1", "this is not an overlay of version v1")
			}
		default:
			o.entry(t, key, value, place)
		}
	})
	t.finish()
	if order := tree.Get(over, orderKey); order != nil {
		o.order(target, order, place)
	}
}

// entry merges one key.
func (o *Overlay) entry(t *merging, key, value *yaml.Node, place *grammar.Place) {
	at := t.find(key.Value)
	if at < 0 && place == grammar.Document() && value.Kind == yaml.MappingNode && slices.Contains(tree.Sections, key.Value) {
		at = t.add(tree.Text(key.Value), tree.Mapping())
	}
	switch {
	case IsNothing(value) && at < 0:
		o.Fault(key, o.closest(key.Value, t.node), "there is no %q to remove", key.Value)
	case IsNothing(value):
		t.remove(at)
		o.Used++
	case at < 0:
		o.add(t, key, value, place)
	default:
		o.change(t.node, at, key, value, place.Value(key.Value))
	}
}

// IsNothing reports whether a value is null, which removes. What is empty says nothing about what is there.
func IsNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && (n.Value == "null" || n.Value == "~")
}

// add adds what is not there, if it can stand for itself.
func (o *Overlay) add(t *merging, key, value *yaml.Node, place *grammar.Place) {
	if len(place.Keys) > 0 && place.Key(key.Value) == nil && place.Each == nil && !grammar.IsExtension(key.Value) {
		help := diag.DidYouMean(key.Value, place.Names())
		if place.Key("fields") != nil && help == "" {
			help = "fields of an object stand below fields:"
		}
		o.Fault(key, help, "unknown key %q", key.Value)
		return
	}
	if lacks := incomplete(value, place, place.Value(key.Value)); lacks != "" {
		help := cmp.Or(o.closest(key.Value, t.node), "to declare it anew, "+lacks)
		o.Fault(key, help, "there is no %q to add to", key.Value)
		return
	}
	o.nothingToRemove(value)
	copied := o.pin(tree.Clone(value))
	t.add(tree.Clone(key), copied)
	o.Used += leaves(value)
}

// pin marks a tree as brought by the overlay.
func (o *Overlay) pin(n *yaml.Node) *yaml.Node {
	o.pinned[n] = true
	for _, child := range n.Content {
		o.pin(child)
	}
	return n
}

// nothingToRemove reports null within what is added as a whole.
func (o *Overlay) nothingToRemove(n *yaml.Node) {
	tree.Each(n, func(key, value *yaml.Node) {
		if IsNothing(value) && key.Value != "const" && key.Value != "default" {
			o.Fault(key, "", "there is no %q to remove", key.Value)
		}
		if key.Value == orderKey {
			o.Fault(key, "write them in that order", "%s orders what is imported", orderKey)
		}
		o.nothingToRemove(value)
	})
}

// incomplete says what a declaration lacks that is to stand for itself; empty when it lacks nothing.
func incomplete(value *yaml.Node, parent, place *grammar.Place) string {
	switch {
	case place.Key("type") != nil && place.Key("union") != nil:
		if value.Kind == yaml.MappingNode && formOf(value) == "" && tree.Get(value, "type") == nil {
			return "give it a type, fields, an enum or a union"
		}
	case place.Key("code") != nil:
		if tree.Get(value, "code") == nil {
			return "give it a code"
		}
	case place.Key("params") != nil:
		if value.Kind == yaml.MappingNode && tree.Get(value, "params") == nil && tree.Get(value, "params?") == nil && tree.Get(value, "result") == nil &&
			tree.Get(value, "from") == nil {
			return "give it params, a result or from"
		}
	case parent.Name == "enum" && parent.Items != nil:
		return "give the values as a list"
	}
	return ""
}

// closest offers a key that is there. Faults that are not printed need none.
func (o *Overlay) closest(key string, target *yaml.Node) string {
	if len(o.faults) >= diag.Most {
		return ""
	}
	return diag.DidYouMean(key, tree.KeysOf(target))
}

// change merges a value over the one that is there.
func (o *Overlay) change(target *yaml.Node, at int, key, value *yaml.Node, place *grammar.Place) {
	changed := false
	if target.Content[at].Value != key.Value { // a field becomes optional, or required
		renamed := *target.Content[at]
		renamed.Value = key.Value
		target.Content[at] = &renamed
		changed = true
	}
	old := target.Content[at+1]
	if value.Kind == yaml.MappingNode {
		if lifted := lift(old, place); lifted != nil {
			target.Content[at+1] = lifted
			before := o.Used
			if len(value.Content) == 0 && !changed {
				o.Fault(key, "", "%q changes nothing", key.Value)
			}
			o.merge(lifted, value, place)
			if changed {
				o.Used = max(o.Used, before+1)
			}
			return
		}
	}
	if tree.Same(old, value) {
		if !changed {
			o.Fault(key, "remove it", "%q is so already: the entry changes nothing", key.Value)
		} else {
			o.Used++
		}
		return
	}
	o.nothingToRemove(value)
	copied := o.pin(tree.Clone(value))
	target.Content[at+1] = copied
	o.Used += leaves(value)
}
