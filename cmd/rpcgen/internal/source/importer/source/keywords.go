package source

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// RuleKeywords are the keywords that limit values and are spelled alike in both languages, by kind.
var (
	TextRules   = []string{"minLength", "maxLength", "pattern"}
	NumberRules = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	ListRules   = []string{"minItems", "maxItems", "uniqueItems"}
	ObjectRules = []string{"minProperties", "maxProperties"}

	RuleKeywords = slices.Concat(TextRules, NumberRules, ListRules, ObjectRules)
)

// ObjectKeywords are the keywords of objects that are not limits.
var ObjectKeywords = []string{"properties", "required", "additionalProperties", "dependentRequired", "dependencies"}

// Beyond are the keywords of JSON Schema that say more than a Go type can.
var Beyond = slices.Concat([]string{"if", "then", "else", "not"}, jsonschema.Names(func(k *jsonschema.Keyword) bool {
	return k.Checks && (k.Role == jsonschema.Other && k.Kind != "" && k.Name != "dependencies" || strings.HasPrefix(k.Name, "unevaluated") ||
		k.Refers() && k.Name != "$ref")
}))

// MemberKeywords are the keywords about the members of an object, whatever they are called, and about the object as a whole.
var MemberKeywords = jsonschema.Names(func(k *jsonschema.Keyword) bool {
	named := []string{"properties", "required", "patternProperties", "additionalProperties"}
	return k.Checks && k.Kind == "object" && !slices.Contains(named, k.Name) || k.Name == "not" || k.Name == "if"
})

// Checks are the keywords that a JSON Schema checks values by. The others are words about them.
var Checks = jsonschema.Names(func(k *jsonschema.Keyword) bool { return k.Checks })

// Keywords that check values and hold schemas: one, or in old drafts a list; a list; and some by names. Dependencies of old drafts may hold names.
var (
	SchemaKeywords = keywordsHolding(jsonschema.One, jsonschema.OneOrList)
	ListKeywords   = keywordsHolding(jsonschema.List)
	MapKeywords    = keywordsHolding(jsonschema.Map)
)

func keywordsHolding(holds ...jsonschema.Holds) []string {
	return jsonschema.Names(func(k *jsonschema.Keyword) bool {
		return k.Checks && k.Name != "dependencies" && slices.Contains(holds, k.Holds)
	})
}
