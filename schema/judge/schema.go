package judge

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// SchemaFaults lists what keeps a value from being a JSON Schema that values can be compared with: what draft 2020-12 forbids, and
// what it allows and nothing here follows, such as a reference to another document.
func SchemaFaults(s ir.Value) []Fault {
	r := reading{conforming{root: s}, judgement{}}
	r.schema(s)
	if defs, ok := s.Get("$defs"); ok {
		r.each("$defs", defs, ir.Object)
	}
	if len(r.faults) == 0 {
		r.circles()
	}
	return r.faults
}

// circles finds references that come back to where they began without going into the value: they ask for nothing that could be found out.
func (r *reading) circles() {
	defs, _ := r.root.Get("$defs")
	done, open := map[string]bool{}, map[string]bool{}
	var visit func(ref string) bool
	visit = func(ref string) bool {
		if done[ref] || open[ref] {
			return open[ref]
		}
		open[ref] = true
		target, _ := r.target(ref)
		circle := slices.ContainsFunc(inPlace(target, nil), visit)
		open[ref], done[ref] = false, true
		return circle
	}
	for _, d := range append([]ir.Member{{}}, defs.Fields...) {
		ref := "#"
		if d.Name != "" {
			ref += "/$defs/" + d.Name
		}
		if visit(ref) {
			r.fault("$ref", ref+" refers to itself without going into the value")
			return
		}
	}
}

// inPlace adds the references of a schema that are about the same value.
func inPlace(s ir.Value, found []string) []string {
	for _, k := range s.Fields {
		switch k.Name {
		case "$ref":
			found = append(found, k.Value.Text)
		case "allOf", "anyOf", "oneOf":
			for _, part := range k.Value.Items {
				found = inPlace(part, found)
			}
		case "not", "if", "then", "else":
			found = inPlace(k.Value, found)
		case "dependentSchemas":
			for _, m := range k.Value.Fields {
				found = inPlace(m.Value, found)
			}
		}
	}
	return found
}

// reading is the way through a schema.
type reading struct {
	conforming
	judgement
}

// notFollowed are the keywords that change what references mean, or what other drafts have.
var notFollowed = []string{"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "definitions", "additionalItems", "dependencies"}

// The keywords that hold one schema, a list of schemas, and schemas by name.
var (
	holdsOne  = []string{"items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"}
	holdsList = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	holdsMap  = []string{"properties", "patternProperties", "dependentSchemas"}
	numbers   = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
		"minProperties", "maxProperties", "minContains", "maxContains"}
)

func (r *reading) schema(s ir.Value) {
	if s.Kind != ir.Boolean && s.Kind != ir.Object {
		r.fault("type", "a schema must be an object, true or false, not "+describe(s))
		return
	}
	for _, k := range s.Fields {
		r.path = append(r.path, k.Name)
		r.keyword(k)
		r.path = r.path[:len(r.path)-1]
	}
}

func (r *reading) keyword(k ir.Member) {
	switch name := k.Name; {
	case slices.Contains(notFollowed, name):
		r.fault(name, fmt.Sprintf("%s is not followed: write draft 2020-12, with references to #/$defs/NAME", name))
	case name == "$ref":
		if _, ok := r.target(k.Value.Text); !ok || k.Value.Kind != ir.Text {
			r.fault(name, "a reference must lead to # or to #/$defs/NAME, and there is no "+k.Value.String())
		}
	case slices.Contains(holdsOne, name):
		r.schema(k.Value)
	case slices.Contains(holdsList, name):
		r.each(name, k.Value, ir.Array)
	case slices.Contains(holdsMap, name):
		r.each(name, k.Value, ir.Object)
		if name == "patternProperties" {
			for _, m := range k.Value.Fields {
				r.pattern(m.Name)
			}
		}
	case slices.Contains(numbers, name):
		if k.Value.Kind != ir.Integer && k.Value.Kind != ir.Number {
			r.fault(name, name+" must be a number, not "+describe(k.Value))
		} else if name == "multipleOf" && compare(k.Value.Text, "0") <= 0 {
			r.fault(name, "multipleOf must be above zero")
		}
	case name == "pattern":
		if k.Value.Kind != ir.Text {
			r.fault(name, "a pattern must be text, not "+describe(k.Value))
		}
		r.pattern(k.Value.Text)
	default:
		r.lists(k)
	}
}

// each reads the schemas of a list or an object.
func (r *reading) each(name string, v ir.Value, kind ir.Kind) {
	if v.Kind != kind {
		r.fault(name, fmt.Sprintf("%s must be %s, not %s", name, text.Article(kind.String()), describe(v)))
		return
	}
	for _, part := range partsOf(v) {
		r.path = append(r.path, part.Name)
		r.schema(part.Value)
		r.path = r.path[:len(r.path)-1]
	}
}

func (r *reading) pattern(expr string) {
	if _, err := regexp.Compile(expr); err != nil {
		r.fault("pattern", err.Error())
	}
}

// lists reads the keywords that hold words.
func (r *reading) lists(k ir.Member) {
	switch k.Name {
	case "type":
		words := k.Value.Items
		if k.Value.Kind != ir.Array {
			words = []ir.Value{k.Value}
		}
		for _, w := range words {
			if w.Kind != ir.Text || !slices.Contains([]string{"null", "boolean", "integer", "number", "string", "array", "object"}, w.Text) {
				r.fault("type", w.String()+" is not a type of JSON Schema")
			}
		}
	case "enum":
		if k.Value.Kind != ir.Array {
			r.fault("enum", "enum must be a list")
		}
	case "required":
		r.names(k.Name, k.Value)
	case "dependentRequired":
		for _, m := range k.Value.Fields {
			r.names(k.Name, m.Value)
		}
	}
}

func (r *reading) names(keyword string, v ir.Value) {
	if v.Kind != ir.Array || slices.ContainsFunc(v.Items, func(item ir.Value) bool { return item.Kind != ir.Text }) {
		r.fault(keyword, keyword+" must be a list of names")
	}
}
