package hostcheck

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// node is a schema within the schema of a tool, where it stands.
type node struct {
	*jsonschema.Place
	root string // the JSON Pointer of the schema of the tool
}

// at returns the JSON Pointer of the schema.
func (n *node) at() string { return n.root + n.Pointer() }

// depth counts the objects and arrays around the schema, itself included.
func (n *node) depth() (depth int) {
	for p := n.Place; p != nil; p = p.Around {
		if is := (&node{Place: p}); is.isObject() || is.is("array") {
			depth++
		}
	}
	return depth
}

// isProperty reports whether the schema is that of a property, which has its name.
func (n *node) isProperty() bool { return n.Keyword.Role == jsonschema.Property }

// get returns a member of the schema; an absent one has the kind of null and no text.
func (n *node) get(name string) ir.Value {
	v, _ := n.Value.Get(name)
	return v
}

func (n *node) has(name string) bool { return n.Value.Has(name) }

// is reports whether the schema says that a value may have a type.
func (n *node) is(kind string) bool {
	t := n.get("type")
	return t.Kind == ir.Text && t.Text == kind || slices.ContainsFunc(t.Items, func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == kind })
}

// isObject reports whether the schema is one of objects.
func (n *node) isObject() bool { return n.is("object") || n.has("properties") }

// nodes returns a schema and all schemas within it, outer ones first.
func nodes(root string, schema ir.Value) (all []*node) {
	jsonschema.Walk(schema, func(p *jsonschema.Place) bool {
		all = append(all, &node{p, root})
		return true
	})
	return all
}

// required returns the names that an object requires.
func (n *node) required() []string { return n.get("required").Words() }

// optional returns the properties of an object that may be missing.
func (n *node) optional() []string {
	required := map[string]bool{}
	for _, name := range n.required() {
		required[name] = true
	}
	var names []string
	for _, m := range n.get("properties").Fields {
		if !required[m.Name] {
			names = append(names, m.Name)
		}
	}
	return names
}
