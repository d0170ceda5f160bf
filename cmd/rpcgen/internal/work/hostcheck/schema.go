package hostcheck

import (
	"fmt"
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

// draft07 says what the meta-schema of JSON Schema draft-07 takes as the value of a keyword that holds no schemas, or not only. Keywords that it does not
// know take anything.
var draft07 = map[string]string{
	"$id": "text", "$schema": "text", "$ref": "text", "$comment": "text", "title": "text", "description": "text", "pattern": "text", "format": "text",
	"contentMediaType": "text", "contentEncoding": "text", "readOnly": "boolean", "writeOnly": "boolean", "uniqueItems": "boolean", "examples": "list",
	"multipleOf": "positive", "maximum": "number", "exclusiveMaximum": "number", "minimum": "number", "exclusiveMinimum": "number",
	"maxLength": "count", "minLength": "count", "maxItems": "count", "minItems": "count", "maxProperties": "count", "minProperties": "count",
	"required": "names", "enum": "list", "type": "type", "dependencies": "object",
}

var jsonTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// valid07 reports whether a value of a keyword has a form of draft-07. The schemas within it are looked at on their own.
func valid07(form string, v ir.Value) bool {
	isNumber := v.Kind == ir.Integer || v.Kind == ir.Number
	all := func(ok func(ir.Value) bool) bool {
		return !slices.ContainsFunc(v.Items, func(v ir.Value) bool { return !ok(v) })
	}
	isName := func(v ir.Value) bool { return v.Kind == ir.Text }
	unique := func() bool {
		seen := map[string]bool{}
		return all(func(v ir.Value) bool {
			was := seen[v.Text]
			seen[v.Text] = true
			return !was
		})
	}
	switch form {
	case "text":
		return v.Kind == ir.Text
	case "boolean":
		return v.Kind == ir.Boolean
	case "list":
		return v.Kind == ir.Array
	case "number":
		return isNumber
	case "positive":
		return isNumber && v.Text[0] != '-' && v.Text != "0"
	case "count":
		return v.Kind == ir.Integer && v.Text[0] != '-'
	case "names":
		return v.Kind == ir.Array && all(isName) && unique()
	case "type":
		known := func(v ir.Value) bool { return v.Kind == ir.Text && slices.Contains(jsonTypes, v.Text) }
		return known(v) || v.Kind == ir.Array && len(v.Items) > 0 && all(known) && unique()
	}
	return v.Kind == ir.Object // dependencies
}

// holds07 reports whether a value is what a keyword of draft-07 holds.
func holds07(holds jsonschema.Holds, v ir.Value) bool {
	other := func(v ir.Value) bool { return v.Kind != ir.Object && v.Kind != ir.Boolean }
	switch {
	case holds == jsonschema.Map:
		return v.Kind == ir.Object && !slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return other(m.Value) })
	case holds == jsonschema.List || holds == jsonschema.OneOrList && v.Kind == ir.Array:
		return len(v.Items) > 0 && !slices.ContainsFunc(v.Items, other)
	}
	return !other(v)
}

// wrong07 returns the keywords of a schema that the meta-schema of draft-07 does not take, each with what is wrong.
func wrong07(n *node) []wrong {
	var all []wrong
	if n.Value.Kind != ir.Object && n.Value.Kind != ir.Boolean {
		return []wrong{{"", "a schema is an object, true or false, and not " + n.Value.Kind.String()}}
	}
	for _, m := range n.Value.Fields {
		form, ok := draft07[m.Name]
		k := jsonschema.KeywordOf(m.Name)
		if ok && !valid07(form, m.Value) || !ok && k.Holds > jsonschema.Data && k.Since <= 7 && !holds07(k.Holds, m.Value) {
			all = append(all, wrong{"/" + ir.EscapePointer(m.Name), fmt.Sprintf("%s cannot be %s in JSON Schema draft-07", m.Name, clip(m.Value.String()))})
		}
	}
	return all
}

// wrong is a keyword with what is wrong with it.
type wrong struct{ tokens, says string }
