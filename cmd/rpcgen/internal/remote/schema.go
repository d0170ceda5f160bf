package remote

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// schema is a JSON Schema that a server sends, as far as a command line needs to understand it. References within the document are followed, others
// never.
type schema struct {
	root wire.Peek
	at   wire.Peek
}

// schemaOf returns the schema with a JSON text.
func schemaOf(text []byte) schema {
	p := wire.PeekAt(text)
	return schema{p, p}
}

// in returns the schema that is the member of a name.
func (s schema) in(name string) schema { return schema{s.root, s.at.In(name)}.resolved() }

// resolved follows references.
func (s schema) resolved() schema {
	const most = 32 // references in a row
	for range most {
		ref, _ := s.at.In("$ref").Text()
		path, local := strings.CutPrefix(ref, "#")
		if !local {
			return s
		}
		s.at = s.root
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if path != "" {
				s.at = s.at.In(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
			}
		}
	}
	return schema{root: s.root}
}

// types returns the types that values may have; none: any.
func (s schema) types() []string {
	if word, ok := s.at.In("type").Text(); ok {
		return []string{word}
	}
	var all []string
	for p := range s.at.In("type").Elements() {
		word, _ := p.Text()
		all = append(all, word)
	}
	return all
}

func (s schema) has(kind string) bool { return slices.Contains(s.types(), kind) }

// field is a property of an object.
type field struct {
	name     string
	required bool
	schema   schema
}

// fields returns the properties of an object, in their order.
func (s schema) fields() []field {
	var required []string
	for p := range s.at.In("required").Elements() {
		name, _ := p.Text()
		required = append(required, name)
	}
	var all []field
	for name, p := range s.at.In("properties").Members() {
		all = append(all, field{name, slices.Contains(required, name), schema{s.root, p}.resolved()})
	}
	return all
}

// open reports whether an object says that it may have other members.
func (s schema) open() bool {
	p := s.at.In("additionalProperties")
	return p.Kind() == wire.Object || string(p.JSON()) == "true"
}

// choices returns the values that are allowed, as JSON; none: others are, too.
func (s schema) choices() []string {
	var all []string
	for p := range s.at.In("enum").Elements() {
		all = append(all, string(p.JSON()))
	}
	if p := s.at.In("const"); all == nil && p.Kind() != wire.Invalid {
		all = append(all, string(p.JSON()))
	}
	for p := range s.at.In("oneOf").Elements() { // choices with titles
		if p = p.In("const"); p.Kind() == wire.Invalid {
			break
		}
		all = append(all, string(p.JSON()))
	}
	return all
}

// text returns a member that is a string.
func (s schema) text(name string) string {
	text, _ := s.at.In(name).Text()
	return text
}

// word returns the type in the words of the schema language; of an object that takes too many of them, that it is one.
func (s schema) word() string {
	const most = 60 // bytes
	if word := s.wordWithin(3); len(word) <= most {
		return word
	}
	return s.wordWithin(0)
}

// wordWithin spells objects out to a depth.
func (s schema) wordWithin(depth int) string {
	if choices := s.choices(); choices != nil {
		for i, c := range choices {
			choices[i] = plain(c)
		}
		return strings.Join(choices, " | ")
	}
	var words []string
	for _, kind := range s.types() {
		words = append(words, s.kindWord(kind, depth))
	}
	for _, key := range [...]string{"oneOf", "anyOf"} {
		if words == nil {
			words = s.alternatives(key, depth)
		}
	}
	if words == nil {
		return "any"
	}
	return strings.Join(words, " | ")
}

// alternatives returns the words of the branches of a union.
func (s schema) alternatives(key string, depth int) []string {
	var words []string
	for p := range s.at.In(key).Elements() {
		words = append(words, schema{s.root, p}.resolved().wordWithin(depth))
	}
	return slices.Compact(words)
}

// kindWord returns the word for one of the types that the schema allows.
func (s schema) kindWord(kind string, depth int) string {
	if depth < 0 && (kind == "array" || kind == "object") {
		return map[string]string{"array": "list", "object": "object"}[kind]
	}
	switch kind {
	case "boolean":
		return "bool"
	case "array":
		return "list<" + s.in("items").wordWithin(depth-1) + ">"
	case "object":
		if p := s.in("additionalProperties"); p.at.Kind() == wire.Object && s.at.In("properties").Kind() == wire.Invalid {
			return "map<" + p.wordWithin(depth-1) + ">"
		}
		return s.objectWord(depth)
	case "string":
		if format := s.text("format"); format != "" {
			return "string(" + format + ")"
		}
	}
	return kind
}

func (s schema) objectWord(depth int) string {
	if depth == 0 {
		return "object"
	}
	var words []string
	for _, f := range s.fields() {
		words = append(words, f.label()+": "+f.schema.wordWithin(depth-1))
	}
	if words == nil {
		return "object"
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// label is the name of a field as the schema language has it: with a question mark when it may be left out.
func (f field) label() string {
	if f.required {
		return f.name
	}
	return f.name + "?"
}

// plain is JSON for people: strings that could be nothing else stand without quotes.
func plain(text string) string {
	s, ok := wire.PeekAt([]byte(text)).Text()
	if !ok || s == "" || strings.ContainsAny(s, " \t\n|,\"") || wire.Check([]byte(s), wire.MaxDepth) == nil {
		return text
	}
	return s
}

// limits says in words what else a value has to keep.
func (s schema) limits() string {
	var all []string
	for _, l := range [...]struct{ key, word string }{
		{"minimum", "at least "}, {"exclusiveMinimum", "more than "}, {"maximum", "at most "}, {"exclusiveMaximum", "less than "},
		{"multipleOf", "a multiple of "}, {"pattern", "matching "},
	} {
		if p := s.at.In(l.key); p.Kind() != wire.Invalid {
			all = append(all, l.word+plain(string(p.JSON())))
		}
	}
	for _, l := range [...]struct{ min, max, unit string }{
		{"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " elements"},
	} {
		if text := span(s.at.In(l.min), s.at.In(l.max)); text != "" {
			all = append(all, text+l.unit)
		}
	}
	return strings.Join(all, ", ")
}

// span says in words how many there may be.
func span(min, max wire.Peek) string {
	least, _ := strconv.Atoi(string(min.JSON()))
	most := string(max.JSON())
	switch {
	case most == "" && least == 0:
		return ""
	case most == "":
		return strconv.Itoa(least) + " or more"
	case least == 0:
		return "up to " + most
	}
	return strconv.Itoa(least) + " to " + most
}
