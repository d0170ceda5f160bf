package remote

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// object is a JSON object while it is put together from words of the command line.
type object struct {
	schema  schema
	names   []string
	members map[string]*member
}

// member is a member of an object.
type member struct {
	schema schema
	texts  []string // JSON values: several are the elements of a list
	object *object  // its own members, if they were given; else nil
}

func newObject(s schema) *object { return &object{schema: s, members: make(map[string]*member)} }

// arguments returns the arguments of a tool, as JSON, that words of the form name=value stand for. All faults are reported at once.
func arguments(input schema, words []string) ([]byte, error) {
	o := newObject(input)
	var faults []error
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			faults = append(faults, fmt.Errorf("%q is no name=value", word))
			continue
		}
		if err := o.set(name, value, name); err != nil {
			faults = append(faults, err)
		}
	}
	faults = append(faults, o.missing("")...)
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	return o.appendJSON(nil), nil
}

// set sets the member of a name, or, after a dot, one of its members.
func (o *object) set(name, value, whole string) error {
	s, known := o.field(name)
	if !known {
		first, rest, dotted := strings.Cut(name, ".")
		if inner, ok := o.field(first); dotted && ok && inner.has("object") {
			m := o.member(first, inner)
			if m.object == nil {
				m.object = newObject(inner)
			}
			return m.object.set(rest, value, whole)
		}
		if !o.schema.open() {
			return o.unknown(name, whole)
		}
		s = schema{root: o.schema.root}
	}
	m := o.member(name, s)
	text, err := m.parse(value)
	if err != nil {
		return fmt.Errorf("%s: %w", whole, err)
	}
	m.texts = append(m.texts, text)
	return nil
}

// field returns the schema of a property.
func (o *object) field(name string) (schema, bool) {
	for _, f := range o.schema.fields() {
		if f.name == name {
			return f.schema, true
		}
	}
	return schema{}, false
}

// member returns the member of a name, which is made if it is not there.
func (o *object) member(name string, s schema) *member {
	if m := o.members[name]; m != nil {
		return m
	}
	m := &member{schema: s}
	o.members[name] = m
	o.names = append(o.names, name)
	return m
}

// unknown says that there is no such argument.
func (o *object) unknown(name, whole string) error {
	var known []string
	for _, f := range o.schema.fields() {
		known = append(known, f.name)
	}
	switch near := rule.Closest(name, known); {
	case near != "":
		return fmt.Errorf("%s: there is no such argument; did you mean %s?", whole, strings.TrimSuffix(whole, name)+near)
	case len(known) == 0:
		return fmt.Errorf("%s: there are no arguments", whole)
	}
	return fmt.Errorf("%s: there is no such argument, but %s", whole, rule.OneOf(known))
}

// parse returns a value as JSON: an element, when the member is a list and the value is not JSON of one.
func (m *member) parse(value string) (string, error) {
	if m.object != nil {
		return "", errors.New("its members are given already")
	}
	if m.schema.has("array") && !strings.HasPrefix(value, "[") {
		return parseValue(m.schema.in("items"), value)
	}
	if len(m.texts) > 0 {
		return "", errors.New("it is given twice, and is no list")
	}
	return parseValue(m.schema, value)
}

// parseValue returns a word as a JSON value that the schema allows.
func parseValue(s schema, value string) (string, error) {
	text, ok := s.read(value)
	choices := s.choices()
	if !ok || choices != nil && !slices.Contains(choices, text) {
		expected := s.word()
		if near := rule.Closest(quote(value), choices); near != "" {
			return "", fmt.Errorf("expected %s, got %q; did you mean %s?", expected, value, plain(near))
		}
		return "", fmt.Errorf("expected %s, got %q", expected, value)
	}
	return text, nil
}

// read finds the reading of a word that fits one of the types.
func (s schema) read(value string) (string, bool) {
	p := wire.PeekAt([]byte(value))
	isJSON := wire.Check([]byte(value), wire.MaxDepth) == nil
	kinds := s.types()
	if kinds == nil {
		if isJSON && !slices.Contains(s.choices(), quote(value)) {
			return value, true
		}
		return quote(value), true
	}
	for _, kind := range kinds {
		switch {
		case !isJSON || kind == "string":
		case kind == "integer" && p.IsInteger(), kind == p.Kind().String():
			return strings.TrimSpace(value), true
		}
	}
	return quote(value), slices.Contains(kinds, "string")
}

// missing names the members that have to be there and are not.
func (o *object) missing(at string) (all []error) {
	for _, f := range o.schema.fields() {
		m := o.members[f.name]
		switch {
		case m == nil && f.required:
			all = append(all, fmt.Errorf("%s is missing: %s", at+f.name, f.schema.word()))
		case m != nil && m.object != nil:
			all = append(all, m.object.missing(at+f.name+".")...)
		}
	}
	return all
}

// appendJSON appends the object.
func (o *object) appendJSON(b []byte) []byte {
	start := len(b)
	for _, name := range o.names {
		b = append(wire.AppendString(append(b, ','), name), ':')
		b = o.members[name].appendJSON(b)
	}
	return wire.CloseObject(b, start)
}

func (m *member) appendJSON(b []byte) []byte {
	switch {
	case m.object != nil:
		return m.object.appendJSON(b)
	case m.schema.has("array") && !(len(m.texts) == 1 && strings.HasPrefix(m.texts[0], "[")):
		return append(append(append(b, '['), strings.Join(m.texts, ",")...), ']')
	}
	return append(b, m.texts[0]...)
}

func quote(s string) string { return string(wire.AppendString(nil, s)) }
