package jsonschema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// Keyword is a keyword of JSON Schema.
type Keyword struct {
	Name    string
	Holds   Holds
	Role    Role   // of the schemas that it holds
	Kind    string // the JSON type whose values alone it limits; empty if it limits values of all types, or none
	Since   int    // the first draft that has it: 4, 6, 7, 2019 or 2020
	InPlace bool   // the schemas that it holds are about the value itself, and not about a part of it
	Checks  bool   // it limits values; other keywords are words about them, or names
	Names   bool   // it is about the members of an object that it names, and no others
}

// Holds says what the value of a keyword is.
type Holds uint8

// What keywords hold.
const (
	Nothing   Holds = iota // that is a schema, or looks like one
	Data                   // values that may look like schemas, and are none
	One                    // schema
	OneOrList              // one schema, or up to draft 2019-09 a list of schemas
	List                   // of schemas
	Map                    // of names to schemas
)

// Role is what a schema is for.
type Role uint8

// The roles of schemas.
const (
	Root       Role = iota
	Property        // of an object, by its name
	Item            // of an array
	Branch          // of allOf, anyOf and oneOf
	Open            // what has no schema of its own: additionalProperties and the like, where true and false are usual
	Definition      // what only references lead to
	Other
)

// Keywords are the keywords of all drafts from 4 on.
var Keywords = rows(
	row{"properties", Map, Property, "object", 4, false, true, true},
	row{"patternProperties", Map, Other, "object", 4, false, true, false},
	row{"additionalProperties", One, Open, "object", 4, false, true, false},
	row{"unevaluatedProperties", One, Open, "object", 2019, false, true, false},
	row{"propertyNames", One, Other, "object", 6, false, true, false},
	row{"dependentSchemas", Map, Other, "object", 2019, true, true, true},
	row{"dependencies", Map, Other, "object", 4, true, true, true}, // to lists of names, too
	row{"dependentRequired", Nothing, 0, "object", 2019, false, true, true},
	row{"required", Nothing, 0, "object", 4, false, true, true},
	row{"minProperties maxProperties", Nothing, 0, "object", 4, false, true, false},

	row{"items", OneOrList, Item, "array", 4, false, true, false},
	row{"prefixItems", List, Item, "array", 2020, false, true, false},
	row{"additionalItems", One, Open, "array", 4, false, true, false},
	row{"unevaluatedItems", One, Open, "array", 2019, false, true, false},
	row{"contains", One, Other, "array", 6, false, true, false},
	row{"minContains maxContains", Nothing, 0, "array", 2019, false, true, false},
	row{"minItems maxItems uniqueItems", Nothing, 0, "array", 4, false, true, false},

	row{"minLength maxLength pattern", Nothing, 0, "string", 4, false, true, false},
	row{"minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", Nothing, 0, "number", 4, false, true, false},

	row{"allOf anyOf oneOf", List, Branch, "", 4, true, true, false},
	row{"not", One, Other, "", 4, true, true, false},
	row{"if then else", One, Other, "", 7, true, true, false},
	row{"type", Nothing, 0, "", 4, false, true, false},
	row{"const", Data, 0, "", 6, false, true, false},
	row{"enum", Data, 0, "", 4, false, true, false},
	row{"$ref", Nothing, 0, "", 4, true, true, false},
	row{"$dynamicRef", Nothing, 0, "", 2020, true, true, false},
	row{"$recursiveRef", Nothing, 0, "", 2019, true, true, false},

	row{"$defs", Map, Definition, "", 2019, false, false, false},
	row{"definitions", Map, Definition, "", 4, false, false, false},
	row{"contentSchema", One, Other, "string", 2019, false, false, false},
	row{"contentEncoding contentMediaType", Nothing, 0, "string", 7, false, false, false},
	row{"default", Data, 0, "", 4, false, false, false},
	row{"examples", Data, 0, "", 6, false, false, false},
	row{"$id", Nothing, 0, "", 6, false, false, false},
	row{"$anchor", Nothing, 0, "", 2019, false, false, false},
	row{"$dynamicAnchor", Nothing, 0, "", 2020, false, false, false},
)

// row is a keyword, or several that differ in nothing but their names.
type row Keyword

var byName = map[string]*Keyword{}

func rows(all ...row) (keywords []*Keyword) {
	for _, r := range all {
		for name := range strings.FieldsSeq(r.Name) {
			k := Keyword(r)
			k.Name, byName[name] = name, &k
			keywords = append(keywords, &k)
		}
	}
	return keywords
}

// none stands for a name that is not a keyword.
var none Keyword

// KeywordOf returns the keyword of a name. For a name that is not one, that is a keyword without a name that holds nothing.
func KeywordOf(name string) *Keyword { return cmp.Or(byName[name], &none) }

// Refers reports whether the keyword is a reference.
func (k *Keyword) Refers() bool { return k.InPlace && k.Holds == Nothing }

// Names returns the names of the keywords of which something is true.
func Names(are func(k *Keyword) bool) []string {
	return ir.Each(ir.Where(Keywords, are), func(k *Keyword) string { return k.Name })
}

// Members visits the members of objects that the value of a keyword names, with what it says of them; nothing if the keyword is about others, too.
func (k *Keyword) Members(v ir.Value, visit func(name string, says ir.Value)) {
	if !k.Names {
		return
	}
	for _, item := range v.Items {
		visit(item.Text, ir.Value{})
	}
	for _, m := range v.Fields {
		visit(m.Name, m.Value)
		for _, item := range m.Value.Items {
			visit(item.Text, ir.Value{})
		}
	}
}

// Dependencies returns the keyword of draft 7 as the two that draft 2019-09 has instead: on the members that others ask for, and on the schemas.
func Dependencies(v ir.Value) (required, schemas ir.Member) {
	required.Name, required.Value.Kind = "dependentRequired", ir.Object
	schemas.Name, schemas.Value.Kind = "dependentSchemas", ir.Object
	for _, m := range v.Fields {
		of := &schemas.Value
		if m.Value.Kind == ir.Array {
			of = &required.Value
		}
		of.Fields = append(of.Fields, m)
	}
	return required, schemas
}

// Place is a schema where it stands.
type Place struct {
	Around  *Place   // the schema that it stands in; nil for the root
	Keyword *Keyword // that holds it
	Name    string   // in a map, or the number in a list; empty for the only schema of a keyword
	Value   ir.Value
}

// Tokens returns the end of the JSON Pointer of the schema, after that of what is around it.
func (p *Place) Tokens() string {
	if p.Keyword.Holds < OneOrList || p.Name == "" && p.Keyword.Holds == OneOrList {
		return "/" + p.Keyword.Name
	}
	return "/" + p.Keyword.Name + "/" + ir.EscapePointer(p.Name)
}

// Pointer returns the JSON Pointer of the schema.
func (p *Place) Pointer() string {
	var parts []string
	for ; p.Around != nil; p = p.Around {
		parts = append(parts, p.Tokens())
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// Walk visits a schema and all schemas within it, outer ones first, until visit reports false: nothing within that one is visited.
func Walk(schema ir.Value, visit func(p *Place) bool) {
	walk(&Place{Keyword: &none, Value: schema}, visit)
}

func walk(p *Place, visit func(p *Place) bool) {
	if visit(p) {
		each(p.Value, func(k *Keyword, name string, inner *ir.Value) {
			walk(&Place{p, k, name, *inner}, visit)
		})
	}
}

// Rewrite returns a schema in which another takes the place of each schema directly within it.
func Rewrite(schema ir.Value, with func(k *Keyword, name string, inner ir.Value) ir.Value) ir.Value {
	schema.Fields = slices.Clone(schema.Fields)
	for i, m := range schema.Fields {
		if KeywordOf(m.Name).Holds > Data {
			schema.Fields[i].Value.Items, schema.Fields[i].Value.Fields = slices.Clone(m.Value.Items), slices.Clone(m.Value.Fields)
		}
	}
	each(schema, func(k *Keyword, name string, inner *ir.Value) { *inner = with(k, name, *inner) })
	return schema
}

// WithoutWords returns a schema without what is said for readers, and all schemas within it.
func WithoutWords(schema ir.Value) ir.Value {
	return Rewrite(schema.Without("title", "description"), func(_ *Keyword, _ string, inner ir.Value) ir.Value { return WithoutWords(inner) })
}

// Children visits the schemas directly within a schema.
func Children(schema ir.Value, visit func(k *Keyword, name string, inner ir.Value)) {
	each(schema, func(k *Keyword, name string, inner *ir.Value) { visit(k, name, *inner) })
}

// each visits the schemas directly within a schema. What stands where a schema should, and is none, is visited, too.
func each(schema ir.Value, visit func(k *Keyword, name string, inner *ir.Value)) {
	for i := range schema.Fields {
		v, k := &schema.Fields[i].Value, KeywordOf(schema.Fields[i].Name)
		switch {
		case k.Holds == Map:
			for j := range v.Fields {
				if v.Fields[j].Value.Kind != ir.Array { // names, as dependencies may have
					visit(k, v.Fields[j].Name, &v.Fields[j].Value)
				}
			}
		case k.Holds == List || k.Holds == OneOrList && v.Kind == ir.Array:
			for j := range v.Items {
				visit(k, strconv.Itoa(j), &v.Items[j])
			}
		case k.Holds >= One:
			visit(k, "", v)
		}
	}
}

// Follow returns what a reference leads to that is a JSON Pointer within the document, as a fragment of a URI.
func Follow(root ir.Value, ref string) (target ir.Value, ok bool) {
	pointer, local := strings.CutPrefix(escape.Unescaped(ref), "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return target, false
	}
	target = root
	for _, step := range strings.Split(pointer, "/")[1:] {
		of := target
		target, ok = of.Get(ir.UnescapePointer(step))
		if i, err := strconv.Atoi(step); of.Kind == ir.Array && err == nil && i >= 0 && i < len(of.Items) {
			target, ok = of.Items[i], true
		}
		if !ok {
			return target, false
		}
	}
	return target, true
}

// Merged are the schemas that a value fits which fits one of them: the first, what its $ref leads to, the elements of its allOf, and so on.
type Merged []ir.Value

// Limits of what is merged. A schema may refer to itself in every line.
const (
	mostMerged = 32      // schemas for one
	MostWork   = 1 << 16 // the usual budget for a document
)

// Merge collects what holds wherever a schema of a document does, as far as the budget goes, which each schema makes smaller by 1 and one for each of its
// members.
func Merge(root, schema ir.Value, budget *int) (all Merged) {
	followed := map[string]bool{}
	var add func(s ir.Value)
	add = func(s ir.Value) {
		if len(all) == mostMerged || s.Kind != ir.Object || *budget <= 0 {
			return
		}
		*budget -= 1 + len(s.Fields)
		all = append(all, s)
		ref, _ := s.Get("$ref")
		if target, ok := Follow(root, ref.Text); ok && !followed[ref.Text] {
			followed[ref.Text] = true
			add(target)
		}
		for _, part := range s.Member("allOf").Items {
			add(part)
		}
	}
	add(schema)
	return all
}

// Get returns a member of the first schema that has it: what stands next to a reference comes before what that leads to.
func (all Merged) Get(name string) (v ir.Value, ok bool) {
	for _, s := range all {
		if v, ok = s.Get(name); ok {
			break
		}
	}
	return v, ok
}

// Part returns what the first schema says that has a property with a name, or, if none does, of the items of an array.
func (all Merged) Part(name string) ir.Value {
	for _, s := range all {
		if v, ok := s.Member("properties").Get(name); ok {
			return v
		}
	}
	v, _ := all.Get("items")
	return v
}
