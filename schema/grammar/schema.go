package grammar

import (
	"cmp"
	"slices"
	"sync"
)

// Where is where a schema stands. Some keys belong to some of these places only.
type Where uint8

// Where a schema may stand.
const (
	Declared Where = 1 << iota // under types
	Field                      // a field of an object
	Inner                      // a list element, a union branch, additional

	everywhere = Declared | Field | Inner
)

// Schema is the place of a schema: a type expression or a mapping.
func Schema(at Where) *Place { return schemas()[at] }

var schemas = sync.OnceValue(func() map[Where]*Place {
	other := &Place{Name: "additional", Scalars: []Scalar{Boolean, Expression}}
	all := map[Where]*Place{
		Declared: {Name: "declaration", Scalars: []Scalar{Expression}},
		Field:    {Name: "field", Scalars: []Scalar{Expression}},
		Inner:    {Name: "schema", Scalars: []Scalar{Expression}},
	}
	for _, k := range schemaKeys(all[Field], all[Inner], other) {
		for at, place := range all {
			if k.where&at != 0 {
				place.Keys = append(place.Keys, k)
			}
		}
	}
	other.Keys = all[Inner].Keys
	return all
})

// schemaTable has the keys of schemas wherever they stand.
var schemaTable = sync.OnceValue(func() *Place {
	inner := Schema(Inner)
	return &Place{Keys: schemaKeys(Schema(Field), inner, inner.Value("additional"))}
})

// SchemaKey is what the language says of a key of schemas, wherever that may stand; nil if it is none.
func SchemaKey(name string) *Key { return schemaTable().Key(name) }

// SchemaKeys lists the keys of schemas, wherever they may stand.
func SchemaKeys() []string { return schemaTable().Names() }

// Allowed reports whether a key of a schema may stand at a place.
func (k Key) Allowed(at Where) bool { return k.where&at != 0 }

// schemaKeys takes the places of inner schemas: of fields, of anything else, and of additional.
func schemaKeys(field, inner, other *Place) []Key {
	keys := slices.Concat(
		[]Key{{Name: "type", Doc: "A type expression: a built-in type, a name, list<T>, map<T>, A | B, T | null. Or JSON Schema's list of kinds.",
			Value: names(Expression)}},
		about(), objectKeys(field, inner, other), elementKeys(inner), unionKeys(inner), valueKeys(), ruleKeys(), fieldKeys(), naming(),
		[]Key{{Name: "$comment", Doc: "A remark that nothing reads.", Value: text()}})
	for i := range keys {
		keys[i].where = cmp.Or(keys[i].where, everywhere)
	}
	return keys
}

func objectKeys(field, inner, other *Place) []Key {
	return []Key{
		{Name: "mixin", Doc: "It is only there to be extended and becomes no Go type.", Value: boolean(), where: Declared, Belongs: "mixin belongs to a named type"},
		{Name: "extends", Doc: "Objects whose fields come first. A field of the same name must narrow theirs.", Value: names(Expression)},
		{Name: "allOf", Doc: "JSON Schema's form of extends: bases, and objects with further properties.", Value: listOf(inner)},
		{Name: "fields", Doc: "Fields by name, each required unless its key ends in ?.", Value: &Place{Name: "fields", Each: field, Marked: true}},
		{Name: "properties", Doc: "JSON Schema's form of fields, each optional unless required names it.", Value: &Place{Name: "properties", Each: field}},
		{Name: "required", Doc: "The properties that must be there.", Value: names(Text)},
		{Name: "require", Doc: "Relations between fields: a | b at least one, a ^ b exactly one, a -> b & c with a also b and c.", Value: names(Text)},
		{Name: "additional", Doc: "Other members: any or a schema keeps them, false refuses them. By default they are ignored.", Value: other},
		{Name: "additionalProperties", Doc: "JSON Schema's form of additional.", Value: other},
	}
}

func elementKeys(inner *Place) []Key {
	return []Key{
		{Name: "list", Doc: "The schema of the elements of a list.", Value: inner},
		{Name: "items", Doc: "JSON Schema's form of list.", Value: inner},
		{Name: "tuple", Doc: "The schemas of the elements of an array by position: a list, or by name in order. A name that ends in ? may be missing at the " +
			"end.", Value: &Place{Name: "tuple", Items: inner, Each: inner, Marked: true}},
		{Name: "rest", Doc: "Beside tuple, the schema of further elements. By default there are none.", Value: inner},
		{Name: "map", Doc: "The schema of the values of an object with free keys.", Value: inner},
	}
}

func unionKeys(inner *Place) []Key {
	return []Key{
		{Name: "union", Doc: "The types it may be: a list, or by tag.", Value: &Place{Name: "union", Items: inner, Each: inner}},
		{Name: "anyOf", Doc: "JSON Schema's form of union.", Value: listOf(inner)},
		{Name: "oneOf", Doc: "JSON Schema's form of union.", Value: listOf(inner)},
		{Name: "by", Doc: "How the branches of a union are told apart: a property, presence, kind or context. By default rpcgen finds out.", Value: by()},
		{Name: "in", Doc: "The property that holds the object by which the branches are told apart.", Value: text()},
		{Name: "absent", Doc: "The tag that is meant when the discriminator is missing.", Value: text()},
	}
}

func by() *Place {
	return &Place{Name: "by", Scalars: []Scalar{Text}, Keys: []Key{
		{Name: "property", Doc: "The property, where its name is also one of the words presence, kind and context.", Value: text()},
	}}
}

func valueKeys() []Key {
	return []Key{
		{Name: "$ref", Doc: "A type of this file: #/types/Name.", Value: textOfForm(`^#/(types|\$defs|definitions)/[^/]+$`)},
		{Name: "enum", Doc: "The values: a list, or by value what each one means.", Value: &Place{Name: "enum", Items: scalar(Anything),
			Each: &Place{Name: "enumValue", Scalars: []Scalar{Prose}, Empty: true, Keys: describe()}}},
		{Name: "const", Doc: "The only value.", Value: scalar(Anything)},
		{Name: "open", Doc: "Unknown values of an enum, and unknown branches of a union, are kept.", Value: boolean()},
	}
}

func ruleKeys() []Key {
	return []Key{
		{Name: "format", Rule: "format", Doc: "The form of a text, such as uri, email, uuid or date-time.", Value: text()},
		{Name: "pattern", Rule: "pattern", Doc: "The regular expression (RE2) that some part of the text must match.", Value: text()},
		{Name: "minLength", Rule: "length", Doc: "The least number of characters (code points), or of bytes.", Value: number()},
		{Name: "maxLength", Rule: "length", Doc: "The greatest number of characters (code points), or of bytes.", Value: number()},
		{Name: "minimum", Rule: "range", Doc: "The least value.", Value: number()},
		{Name: "exclusiveMinimum", Rule: "range", Doc: "The value must be greater than this.", Value: number()},
		{Name: "maximum", Rule: "range", Doc: "The greatest value.", Value: number()},
		{Name: "exclusiveMaximum", Rule: "range", Doc: "The value must be less than this.", Value: number()},
		{Name: "multipleOf", Rule: "multipleOf", Doc: "The value must be a multiple of this.", Value: number()},
		{Name: "minItems", Rule: "items", Doc: "The least number of elements.", Value: number()},
		{Name: "maxItems", Rule: "items", Doc: "The greatest number of elements.", Value: number()},
		{Name: "schema", Rule: "schema", Doc: "A JSON Schema (draft 2020-12) that a value of type any, string, array or object, or of a union by context, " +
			"must fit as well, as far as the type keeps it; references lead to # or #/$defs/NAME in it.", Value: Data()},
		{Name: "uniqueItems", Rule: "unique", Doc: "No two elements are equal.", Value: boolean()},
		{Name: "minProperties", Rule: "properties", Doc: "The least number of members.", Value: number()},
		{Name: "maxProperties", Rule: "properties", Doc: "The greatest number of members.", Value: number()},
	}
}

// HeaderForm is the form of the name of an HTTP header: a token (RFC 9110 section 5.6.2).
const HeaderForm = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"

func fieldKeys() []Key {
	return []Key{
		{Name: "default", Doc: "The value that an absent field has.", Value: Data(), where: Field, Belongs: "a default belongs to an optional field"},
		{Name: "examples", Doc: "Values that fit.", Value: listOf(Data()), where: Field | Declared, Belongs: "examples belong to a field or a named type"},
		{Name: "sensitive", Doc: "Logs and texts of errors leave the value out.", Value: boolean(), where: Field, Belongs: "sensitive belongs to a field"},
		{Name: "header", Doc: "The HTTP header that repeats the field.", Value: textOfForm(HeaderForm), where: Field, Belongs: "header belongs to a field"},
		{Name: "http", Doc: "Its place in the request or the answer of a tool with http, where that is not the one of the rule: a word, or a name of its own there.", Value: httpPlace(), where: Field, Belongs: "http belongs to a field of the input or the output of a tool"},
		{Name: "complete", Doc: "The server completes its values: of an argument of a prompt, or a param of a resource.", Value: boolean(), where: Field, Belongs: "complete belongs to an argument of a prompt or a param of a resource"},
	}
}
