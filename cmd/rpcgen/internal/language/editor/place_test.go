package editor

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// writer writes the places of the language. Those with names become definitions, each once.
type writer struct {
	names       map[*grammar.Place]string
	texts       map[string]string // the bodies of definitions, by name
	definitions []ir.Member
}

// place is the schema of a place: a reference where it has a name.
func (w *writer) place(p *grammar.Place) ir.Value {
	if p == grammar.Data() {
		return object()
	}
	if p.Name == "" {
		return w.body(p)
	}
	return object(pair("$ref", text("#/$defs/"+w.define(p))))
}

// define gives a place a definition. It is named before it is written, because schemas hold schemas.
func (w *writer) define(p *grammar.Place) string {
	if name, ok := w.names[p]; ok {
		return name
	}
	base := identifier(p.Name)
	name := base
	for i := 2; ; i++ {
		taken, ok := w.texts[name]
		if !ok {
			break
		}
		w.names[p] = name
		if w.body(p).String() == taken {
			return name
		}
		name = base + strconv.Itoa(i)
	}
	w.names[p], w.texts[name] = name, ""
	at := len(w.definitions)
	w.definitions = append(w.definitions, pair(name, object()))
	w.definitions[at].Value = w.body(p)
	w.texts[name] = w.definitions[at].Value.String()
	return name
}

// identifier makes a name of words: anErrorOfATool of "an error of a tool".
func identifier(name string) string {
	words := strings.Fields(name)
	if len(words) > 1 && (words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// body is the schema of a place itself. What it says of mappings and lists does not bind scalars, so that all can stand in one.
func (w *writer) body(p *grammar.Place) ir.Value {
	body := object(pair("type", texts(kinds(p))))
	body.Fields = append(body.Fields, ofScalars(p)...)
	if len(p.Keys) > 0 {
		body.Fields = append(body.Fields, w.keys(p)...)
	}
	if p.Each != nil {
		body.Fields = append(body.Fields, pair("additionalProperties", w.place(p.Each)))
	}
	if p.Items != nil {
		body.Fields = append(body.Fields, pair("items", w.item(p.Items)))
	}
	return body
}

// item is the schema of the items of a list. YAML reads the type null as no text.
func (w *writer) item(p *grammar.Place) ir.Value {
	item := w.place(p)
	if !p.Takes(grammar.Expression) || p.Empty {
		return item
	}
	return object(pair("anyOf", list(item, object(pair("type", text("null"))))))
}

func (w *writer) keys(p *grammar.Place) []ir.Member {
	properties, required := object(), list()
	for _, k := range p.Keys {
		value := w.place(k.Value)
		value.Fields = append([]ir.Member{pair("description", text(k.Doc))}, value.Fields...)
		properties.Fields = append(properties.Fields, pair(k.Name, value))
		if k.Required {
			required.Items = append(required.Items, text(k.Name))
		}
	}
	members := []ir.Member{pair("properties", properties)}
	if len(required.Items) > 0 {
		members = append(members, pair("required", required))
	}
	return append(members, pair("patternProperties", object(pair("^x-", object()))), pair("additionalProperties", boolean(false)))
}

// kinds are the JSON types that a place takes, in one order.
func kinds(p *grammar.Place) []string {
	takes := map[string]bool{"null": p.Empty, "object": len(p.Keys) > 0 || p.Each != nil, "array": p.Items != nil}
	for _, s := range p.Scalars {
		for _, kind := range ofKind[s] {
			takes[kind] = p.Form == "" || kind == "string"
		}
	}
	var all []string
	for _, kind := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		if takes[kind] && (kind != "integer" || !takes["number"]) {
			all = append(all, kind)
		}
	}
	return all
}

// ofKind lists the JSON types of scalars. Where text is expected, 1.10 and true are text as well.
var ofKind = map[grammar.Scalar][]string{
	grammar.Text:       {"string", "number", "boolean"},
	grammar.Prose:      {"string", "number", "boolean"},
	grammar.Boolean:    {"boolean"},
	grammar.Integer:    {"integer"},
	grammar.Number:     {"number"},
	grammar.Expression: {"string"},
	grammar.Word:       {"string"},
	grammar.Anything:   {"string", "number", "boolean", "null"},
}

// expression is a type expression as far as a regular expression can tell: whether every < and ( is closed, it cannot.
const expression = `^` + alternative + `(\|` + alternative + `)*$`

const (
	alternative = `\s*((list|map)\s*<\s*|\(\s*)*` + name + `\s*([>)]\s*|\[\s*\]\s*)*`
	name        = "[^\\x00-#%-,/:-@\\[-\\^`{-\\x7f]+" // letters, digits, _ . - $ and whatever is not ASCII
)

// ofScalars says more of the scalars of a place: the words, or the form. Both bind text only.
func ofScalars(p *grammar.Place) []ir.Member {
	switch {
	case p.Takes(grammar.Word) && p.Items == nil && p.Keys == nil:
		return []ir.Member{pair("enum", texts(p.Words))}
	case p.Takes(grammar.Word):
		return []ir.Member{pair("pattern", text("^("+strings.Join(p.Words, "|")+")$"))}
	case p.Form != "":
		return []ir.Member{pair("pattern", text(p.Form))}
	case p.Takes(grammar.Expression):
		return []ir.Member{pair("anyOf", list(
			object(pair("enum", texts(grammar.Builtins))),
			object(pair("pattern", text(expression))))),
		}
	}
	return nil
}
