package hostcheck

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

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
