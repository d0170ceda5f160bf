package source

import (
	"slices"

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
var Beyond = []string{"if", "then", "else", "not", "dependentSchemas", "$dynamicRef", "$recursiveRef",
	"unevaluatedProperties", "unevaluatedItems", "patternProperties", "propertyNames", "contains"}

// Checks are the keywords that a JSON Schema checks values by. The others are words about them.
var Checks = jsonschema.Names(func(k *jsonschema.Keyword) bool { return k.Checks })
