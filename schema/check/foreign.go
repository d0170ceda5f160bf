package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// adviceOnType says what to write instead of the name of a type, or of an expression, that the language does not have. Declared names that
// differ in case only come first.
func (c *resolver) adviceOnType(name string) string {
	advice := adviceOnType(name)
	if advice == "" || len(c.d.faults) > 10*diag.Most { // what will not be read need not be right
		return advice
	}
	for _, declared := range c.names.typeNames() {
		if strings.EqualFold(declared, name) && !slices.Contains(grammar.Builtins, declared) {
			return ""
		}
	}
	return advice
}

func adviceOnType(text string) string {
	if advice := foreign.Advice(foreign.OfType, foreign.Written{Word: text}); advice != "" {
		return advice
	}
	write, ok := foreign.Type(text)
	switch {
	case !ok:
		return ""
	case strings.HasSuffix(text, "?"):
		return "write " + write + "; the name of a field that may be left out ends in ?"
	}
	return "write " + write
}

// writtenEntry is what an author wrote as an entry of a schema, or of another mapping.
func writtenEntry(e syntax.Entry, n *syntax.Node) foreign.Written {
	w := foreign.Written{Word: e.Key.Text, Value: sketch(e.Value)}
	t := n.Get("type")
	if t == nil || t.Kind != syntax.Scalar {
		return w
	}
	w.Type = t.Text
	if write, ok := foreign.Type(t.Text); ok {
		w.Type = write
	}
	switch name, _, _ := strings.Cut(w.Type, "<"); name {
	case "list", "array":
		w.Least, w.Most = "minItems", "maxItems"
	case "map", "object":
		w.Least, w.Most = "minProperties", "maxProperties"
	default:
		t, _ := builtin(name, ir.At{})
		switch t.(type) {
		case *ir.String, *ir.Bytes:
			w.Least, w.Most = "minLength", "maxLength"
		}
	}
	return w
}

// sketch is the text of a short scalar, or of a short list of them, as YAML, and ... of anything else.
func sketch(n *syntax.Node) string {
	const most = 40 // bytes
	text := "..."
	switch {
	case n.IsEmpty():
		return ""
	case n.Kind == syntax.Scalar && n.Style == syntax.Plain:
		text = n.Text
	case n.Kind == syntax.Scalar && n.Style == syntax.Quoted && !strings.ContainsAny(n.Text, "'\n"):
		text = "'" + n.Text + "'"
	case n.Kind == syntax.Sequence && len(n.Items) < most:
		items := ir.Each(n.Items, func(item *syntax.Node) string { return sketch(item) })
		text = "[" + strings.Join(items, ", ") + "]"
	}
	if len(text) > most {
		return "..."
	}
	return text
}

// presence reports the keys of a field by which other languages say whether it may be left out, and returns its schema without them.
func (c *typeChecker) presence(place string, e syntax.Entry) syntax.Entry {
	if e.Value.Kind != syntax.Mapping {
		return e
	}
	own := slices.DeleteFunc(slices.Clone(e.Value.Entries), func(key syntax.Entry) bool {
		if key.Key.Text == "required" && key.Value.Kind != syntax.Scalar {
			return false // the properties of an object
		}
		w := writtenEntry(key, e.Value)
		w.Field = strings.TrimSuffix(e.Key.Text, "?")
		help := foreign.Advice(place, w)
		if help == "" {
			return false
		}
		c.d.report(diag.UnknownKey, key.Key.Span, help, "%q does not say whether a field may be left out", key.Key.Text)
		return true
	})
	if len(own) == len(e.Value.Entries) {
		return e
	}
	schema := *e.Value
	schema.Entries = own
	e.Value = &schema
	return e
}

// fieldsWanted reports a payload that is written as a schema, such as {type: object, properties: {...}}, where its fields belong.
func (c *typeChecker) fieldsWanted(e syntax.Entry) bool {
	if ref := e.Value.Entry("$ref"); ref != nil && len(e.Value.Entries) == 1 {
		name := ref.Value.Text[strings.LastIndexByte(ref.Value.Text, '/')+1:]
		c.d.report(diag.WrongKind, ref.Key.Span, "write "+e.Key.Text+": "+name, "%s holds fields, or the name of a type, and no $ref", e.Key.Text)
		return true
	}
	schema, parts := schemaParts(e.Value)
	if schema == nil {
		return false
	}
	help := "declare the schema under types, and write " + e.Key.Text + ": with its name"
	if fields := flatFields(e.Value, parts); fields != "" {
		help = "write " + e.Key.Text + ": {" + fields + "}"
	}
	c.d.report(diag.WrongKind, schema.Span, help, "%s holds fields by name, or the name of a type, and no schema", e.Key.Text)
	return true
}

// schemaParts returns the key by which a payload is a schema and not fields, and the fields of that schema. It is nil for fields that
// are called like keys of schemas.
func schemaParts(n *syntax.Node) (key, parts *syntax.Node) {
	kind := ""
	if t := n.Get("type"); t != nil {
		kind = t.Text
	}
	for _, e := range n.Entries {
		if grammar.SchemaKey(e.Key.Text) == nil && !strings.HasPrefix(e.Key.Text, "$") {
			return nil, nil // a field with a name of its own
		}
	}
	for _, name := range [...]string{"fields", "properties"} {
		e := n.Entry(name)
		if e == nil || e.Value.Kind != syntax.Mapping {
			continue
		}
		required := n.Get("required")
		foreign := kind == "object" || required != nil && required.Kind == syntax.Sequence
		for _, part := range e.Value.Entries {
			known := grammar.SchemaKey(part.Key.Text)
			foreign = foreign || known == nil && !grammar.IsExtension(part.Key.Text) || part.Key.Text == "type" && part.Value.Kind == syntax.Mapping
		}
		if foreign {
			return e.Key, e.Value
		}
	}
	if items := n.Entry("items"); items != nil && (kind == "array" || kind == "list") {
		return items.Key, nil
	}
	return nil, nil
}

// flatFields is an object schema as fields, if it has a few of them, with nothing but their types, and says nothing else.
func flatFields(n, parts *syntax.Node) string {
	const most = 5
	if parts == nil || len(parts.Entries) > most {
		return ""
	}
	required := map[string]bool{}
	byName := n.Get("properties") != nil
	for _, e := range n.Entries {
		switch e.Key.Text {
		case "type", "fields", "properties", "$schema", "description", "title":
		case "required":
			required = ir.Set(e.Value.Items, textOf)
		default:
			return ""
		}
	}
	var all []string
	for _, e := range parts.Entries {
		name, t := e.Key.Text, e.Value
		if byName && !required[name] {
			name += "?"
		}
		if t.Kind == syntax.Mapping && len(t.Entries) == 1 {
			t = t.Get("type")
		}
		if t == nil || t.Kind != syntax.Scalar || t.Style != syntax.Plain {
			return ""
		}
		text := t.Text
		if write, ok := foreign.Type(text); ok {
			text = write
		}
		all = append(all, name+": "+text)
	}
	return strings.Join(all, ", ")
}
