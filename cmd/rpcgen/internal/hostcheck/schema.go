package hostcheck

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// node is a schema within the schema of a tool, where it stands.
type node struct {
	parent *node  // nil for the root
	tokens string // from the parent, such as /properties/name; from the document for the root
	name   string // of the property that it describes; empty if it does not describe one
	role   role
	depth  int // objects and arrays around it, itself included
	value  ir.Value
}

// role is what a schema is for.
type role uint8

const (
	isRoot     role = iota
	isProperty      // of an object
	isItem          // of an array
	isBranch        // of anyOf and the like
	isOpen          // additionalProperties and the like, where true and false are usual
	isOther
)

// at returns the JSON Pointer of the schema.
func (n *node) at() string {
	var parts []string
	for ; n != nil; n = n.parent {
		parts = append(parts, n.tokens)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// get returns a member of the schema; an absent one has the kind of null and no text.
func (n *node) get(name string) ir.Value {
	v, _ := n.value.Get(name)
	return v
}

func (n *node) has(name string) bool {
	_, ok := n.value.Get(name)
	return ok
}

// is reports whether the schema says that a value may have a type.
func (n *node) is(kind string) bool {
	t := n.get("type")
	return t.Kind == ir.Text && t.Text == kind || slices.ContainsFunc(t.Items, func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == kind })
}

// isObject reports whether the schema is one of objects.
func (n *node) isObject() bool { return n.is("object") || n.has("properties") }

// inSchema says what the value of a keyword holds, for those that hold schemas.
var inSchema = map[string]struct {
	role role
	form byte // 1 a schema, m a mapping of schemas, l a list of schemas
}{
	"properties": {isProperty, 'm'}, "patternProperties": {isOther, 'm'}, "$defs": {isOther, 'm'}, "definitions": {isOther, 'm'}, "dependentSchemas": {isOther, 'm'},
	"dependencies": {isOther, 'm'}, "allOf": {isBranch, 'l'}, "anyOf": {isBranch, 'l'}, "oneOf": {isBranch, 'l'}, "prefixItems": {isItem, 'l'}, "items": {isItem, '1'},
	"additionalProperties": {isOpen, '1'}, "unevaluatedProperties": {isOpen, '1'}, "additionalItems": {isOpen, '1'}, "unevaluatedItems": {isOpen, '1'},
	"propertyNames": {isOther, '1'}, "contains": {isOther, '1'}, "not": {isOther, '1'}, "if": {isOther, '1'}, "then": {isOther, '1'}, "else": {isOther, '1'},
	"contentSchema": {isOther, '1'},
}

// walk appends a schema and all schemas within it, outer ones first.
func walk(all []*node, n *node) []*node {
	if n.parent != nil {
		n.depth = n.parent.depth
	}
	if n.isObject() || n.is("array") {
		n.depth++
	}
	all = append(all, n)
	for _, m := range n.value.Fields {
		in, ok := inSchema[m.Name]
		if !ok {
			continue
		}
		tokens := "/" + ir.EscapePointer(m.Name)
		switch {
		case in.form == 'm' && m.Value.Kind == ir.Object:
			for _, one := range m.Value.Fields {
				if one.Value.Kind == ir.Array { // dependencies may list names
					continue
				}
				child := &node{parent: n, tokens: tokens + "/" + ir.EscapePointer(one.Name), role: in.role, value: one.Value}
				if in.role == isProperty {
					child.name = one.Name
				}
				all = walk(all, child)
			}
		case m.Value.Kind == ir.Array && (in.form == 'l' || m.Name == "items"):
			for i, one := range m.Value.Items {
				all = walk(all, &node{parent: n, tokens: tokens + "/" + strconv.Itoa(i), role: in.role, value: one})
			}
		case in.form == '1':
			all = walk(all, &node{parent: n, tokens: tokens, role: in.role, value: m.Value})
		}
	}
	return all
}

// required returns the names that an object requires.
func (n *node) required() []string {
	var names []string
	for _, v := range n.get("required").Items {
		names = append(names, v.Text)
	}
	return names
}

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
