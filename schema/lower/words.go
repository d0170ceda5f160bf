package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// constants returns the values of a schema that lists them: an enum, a constant, or alternatives that are constants.
func (l *lowerer) constants(s ir.Value) ([]ir.Value, bool) {
	if values, ok := s.Get("enum"); ok {
		return values.Items, true
	}
	if c, ok := s.Get("const"); ok {
		return []ir.Value{c}, true
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, ok := s.Get(keyword)
		if !ok || len(branches.Items) == 0 {
			continue
		}
		var all []ir.Value
		for _, b := range branches.Items {
			c, isConst := b.Get("const")
			if !isConst || slices.ContainsFunc(b.Fields, func(m ir.Member) bool {
				return !slices.Contains([]string{"const", "title", "description", "type", "deprecated"}, m.Name)
			}) {
				return nil, false
			}
			all = append(all, c)
		}
		return all, true
	}
	return nil, false
}

// enum writes values: texts as they are; of others, the type and a sentence.
func (l *lowerer) enum(out *builtSchema, s ir.Value, values []ir.Value) {
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for _, b := range s.Member(keyword).Items {
			if d := b.Member("description").Text; d != "" {
				out.say(b.Member("const").String() + ": " + escape.Sentences(d))
			}
		}
	}
	var kinds []string
	for _, v := range values {
		if kind := v.Kind.String(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if slices.Contains(kinds, "integer") && slices.Contains(kinds, "number") {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "integer" })
	}
	only := ""
	if len(kinds) == 1 {
		only = kinds[0]
	}
	listed := values
	if !l.strict {
		listed = slices.DeleteFunc(slices.Clone(values), func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == "" })
	}
	switch {
	case only == "string" && len(listed) > 0, l.strict && slices.Contains([]string{"integer", "number", "boolean"}, only):
		out.set("type", text(only))
		if len(listed) < len(values) {
			out.say("An empty text is allowed, too.")
		}
		out.set("enum", ir.Value{Kind: ir.Array, Items: listed})
		return
	case only == "null" && l.strict:
		out.set("type", text("null"))
		return
	case only == "null":
		out.set("type", text("string"))
		out.set("nullable", yes)
	case len(kinds) == 0:
		out.set("type", text("string"))
	case only != "" && only != "object":
		out.set("type", text(only))
		if only == "integer" {
			l.bounds(out, values)
		}
		if only == "array" {
			out.set("items", ir.Value{Kind: ir.Object})
		}
	default:
		list := ir.Value{Kind: ir.Array}
		for _, k := range kinds {
			one, _ := l.schema(ir.Value{}.Set("type", text(k)))
			list.Items = append(list.Items, one)
		}
		out.set("anyOf", list)
	}
	if len(values) == 1 {
		out.say("Only " + values[0].String() + ".")
	} else {
		out.say("One of " + strings.Join(ir.Each(values, ir.Value.String), ", ") + ".")
	}
}

// bounds writes the least and the greatest of integers.
func (l *lowerer) bounds(out *builtSchema, values []ir.Value) {
	var numbers []int64
	for _, v := range values {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		if err != nil {
			return
		}
		numbers = append(numbers, n)
	}
	out.set("minimum", ir.Value{Kind: ir.Integer, Text: strconv.FormatInt(slices.Min(numbers), 10)})
	out.set("maximum", ir.Value{Kind: ir.Integer, Text: strconv.FormatInt(slices.Max(numbers), 10)})
}

// kept are the keywords that a profile takes as they are, apart from those that are rewritten.
var (
	keptByGemini = []string{"minItems", "minLength", "maxLength", "pattern", "minimum", "maximum", "minProperties", "maxProperties"}
	keptByStrict = []string{"minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)

// The formats of texts that are taken.
var (
	formatsOfGemini = []string{"date-time"}
	formatsOfStrict = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

// rewrittenKeywords are the keywords that other functions write, and those that say nothing to a model.
var rewrittenKeywords = []string{"type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "enum", "const", "additionalProperties", "title",
	"description",
	"$defs", "definitions", "$ref", "$schema", "$id", "$comment", "$anchor", "unevaluatedProperties", "readOnly", "writeOnly", "nullable", "contentMediaType", "additionalItems", "unevaluatedItems"}

// rest writes the other keywords of a schema, or says them in words.
func (l *lowerer) rest(out *builtSchema, s ir.Value) {
	kept, formats := keptByGemini, formatsOfGemini
	if l.strict {
		kept, formats = keptByStrict, formatsOfStrict
	}
	t, typed := out.get("type")
	for _, m := range s.Fields {
		value := m.Value.String()
		if m.Value.Kind == ir.Text {
			value = m.Value.Text
		}
		applies := !typed || appliesTo(m.Name, t.Text)
		switch {
		case m.Name == "x-mcp-header": // the client of MCP reads it, whatever its model takes
			out.set(m.Name, m.Value)
		case slices.Contains(rewrittenKeywords, m.Name) || strings.HasPrefix(m.Name, "x-") || !applies:
		case slices.Contains(kept, m.Name) && typed && !ir.Value{Fields: out.fields}.Has("enum"):
			out.set(m.Name, m.Value)
		case m.Name == "pattern" && l.strict && typed && !strings.Contains(value, "(?"):
			out.set(m.Name, m.Value)
		case m.Name == "format" && typed && (t.Text != "string" && !l.strict || slices.Contains(formats, value)):
			out.set(m.Name, m.Value)
		default:
			if sentence := inWords(m.Name, value, m.Value); sentence != "" {
				out.say(sentence)
			}
		}
	}
}

// appliesTo reports whether a keyword says something of values of a type.
func appliesTo(keyword, kind string) bool {
	of := jsonschema.KeywordOf(keyword).Kind
	return of == "" || of == kind || of == "number" && kind == "integer" || of == "object" && kind == "array" // which a map may have become
}

// sentencesOf are what keywords say of their value.
var sentencesOf = map[string]string{
	"minLength": "At least %s characters.", "maxLength": "At most %s characters.",
	"minItems": "At least %s items.", "maxItems": "At most %s items.",
	"minProperties": "At least %s members.", "maxProperties": "At most %s members.",
	"minimum": "At least %s.", "maximum": "At most %s.", "exclusiveMinimum": "More than %s.", "exclusiveMaximum": "Less than %s.",
	"multipleOf": "A multiple of %s.", "pattern": "It matches the pattern %s .", "format": "Its format is %s.", "contentEncoding": "In %s.",
}

// inWords says a keyword in a sentence; it is empty for one that says nothing to a model.
func inWords(keyword, value string, v ir.Value) string {
	if sentence, ok := sentencesOf[keyword]; ok {
		sentence = strings.Replace(sentence, "%s", value, 1)
		if one, plural := strings.CutSuffix(sentence, "s."); plural && value == "1" {
			return one + "."
		}
		return sentence
	}
	switch keyword {
	case "uniqueItems", "deprecated":
		if value == "true" {
			return map[string]string{"uniqueItems": "No item twice.", "deprecated": "Deprecated."}[keyword]
		}
		return ""
	case "default":
		return "Default: " + v.String() + "."
	case "examples":
		if len(v.Items) == 0 {
			return ""
		}
		return "Example: " + v.Items[0].String() + "."
	}
	return moreConditions
}
