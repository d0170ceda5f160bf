package remote

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
)

// object is a JSON object while it is put together from words of the command line.
type object struct {
	schema  schema
	fields  []field
	names   []string
	members map[string]*member
}

// member is a member of an object.
type member struct {
	schema schema
	texts  []string   // JSON values: of a list its elements, unless whole is set
	whole  bool       // the one text is the value itself, and not an element
	object *object    // its own members, if they were given; else nil
	dotted []argument // of a union, until all are known
}

// argument is a word of the command line about a member of an object.
type argument struct {
	name, value string
	whole       string // the name as it was written
}

func newObject(s schema) *object {
	return &object{schema: s, fields: s.fields(), members: make(map[string]*member)}
}

// arguments returns the arguments of a tool, as JSON, that words of the form name=value stand for. All faults are reported at once.
func arguments(input schema, words []string) ([]byte, error) {
	o, faults := collect(input, words)
	if faults = append(faults, o.missingFaults("")...); faults != nil {
		return nil, errors.Join(faults...)
	}
	return o.appendJSON(nil), nil
}

// collect returns the object that words stand for, and what is wrong with them.
func collect(input schema, words []string) (o *object, faults []error) {
	m := &member{schema: input}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			faults = append(faults, fmt.Errorf("%q is not of the form name=value", word))
		} else if err := m.inside(argument{name, value, name}); err != nil {
			faults = append(faults, err)
		}
	}
	switch {
	case m.dotted != nil:
		faults = append(faults, m.choose()...)
	case m.object == nil:
		m.object = newObject(input)
	default:
		faults = append(faults, m.object.settle()...)
	}
	return m.object, faults
}

// set sets the member of a name, or, after a dot, one of its members.
func (o *object) set(name, value, whole string) error {
	s, known := o.field(name)
	if !known {
		first, rest, dotted := strings.Cut(name, ".")
		if inner, ok := o.field(first); dotted && ok && (inner.hasFields() || inner.has("object") || len(inner.objects()) > 0) {
			return o.member(first, inner).inside(argument{rest, value, whole})
		}
		if !o.schema.open() {
			return o.unknownFault(name, whole)
		}
		s = schema{document: o.schema.document}
	}
	m := o.member(name, s)
	text, err := m.parse(value)
	if fault, ok := errors.AsType[*notAllowed](err); ok {
		fault.whole = whole
		return fault
	}
	if err != nil {
		return fmt.Errorf("%s: %w", whole, err)
	}
	m.texts = append(m.texts, text)
	return nil
}

// inside sets a member of the member, which is an object.
func (m *member) inside(a argument) error {
	switch {
	case m.texts != nil:
		return fmt.Errorf("%s: the value is given already", a.whole)
	case m.object == nil && len(m.schema.objects()) > 0:
		m.dotted = append(m.dotted, a)
		return nil
	case m.object == nil:
		m.object = newObject(m.schema)
	}
	return m.object.set(a.name, a.value, a.whole)
}

// settle chooses the branches of unions whose members were given.
func (o *object) settle() (faults []error) {
	for _, name := range o.names {
		m := o.members[name]
		if m.dotted != nil {
			faults = append(faults, m.choose()...)
		} else if m.object != nil {
			faults = append(faults, m.object.settle()...)
		}
	}
	return faults
}

// choose makes the object of a union: that of the first branch which takes all members that were given. If none does, the faults are those
// of the branch with the fewest; constants that do not fit count most, because they say which branch is meant.
func (m *member) choose() (faults []error) {
	least := -1
	for _, branch := range m.schema.objects() {
		o := newObject(branch)
		var all []error
		cost := 0
		for _, a := range m.dotted {
			if err := o.set(a.name, a.value, a.whole); err != nil {
				all = append(all, err)
				if cost++; errors.As(err, new(*notAllowed)) {
					cost += len(m.dotted) + len(o.fields)
				}
			}
		}
		inner := o.settle()
		all = append(all, inner...)
		cost += len(inner) + len(o.missingFaults(""))
		if least < 0 || cost < least {
			least, m.object, faults = cost, o, all
		}
	}
	return m.mergeTagFaults(faults)
}

// mergeTagFaults replaces the fault of a constant by one that has those of all branches.
func (m *member) mergeTagFaults(faults []error) []error {
	for i, err := range faults {
		fault, ok := errors.AsType[*notAllowed](err)
		if !ok {
			continue
		}
		for _, a := range m.dotted {
			if a.whole != fault.whole {
				continue
			}
			var all []string
			for _, branch := range m.schema.objects() {
				if s, ok := newObject(branch).field(a.name); ok {
					all = append(all, s.choices()...)
				}
			}
			faults[i] = &notAllowed{whole: fault.whole, value: a.value, choices: all, expected: notation.Values(plainLines(all), "").String()}
		}
	}
	return faults
}

// notAllowed says that a value is not one of those that are allowed.
type notAllowed struct {
	whole    string
	value    string
	expected string
	choices  []string // as JSON
}

func (e *notAllowed) Error() string {
	message := fmt.Sprintf("expected %s, got %q", e.expected, e.value)
	if near := violation.Closest(quote(e.value), e.choices); near != "" {
		message += "; did you mean " + plain(near) + "?"
	}
	if e.whole == "" {
		return message
	}
	return e.whole + ": " + message
}

// field returns the schema of a property.
func (o *object) field(name string) (schema, bool) {
	for _, f := range o.fields {
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

// unknownFault says that there is no such argument.
func (o *object) unknownFault(name, whole string) error {
	known := ir.Each(o.fields, func(f field) string { return f.name })
	switch near := violation.Closest(name, known); {
	case near != "":
		return fmt.Errorf("%s: there is no such argument; did you mean %s?", whole, strings.TrimSuffix(whole, name)+near)
	case len(known) == 0:
		return fmt.Errorf("%s: there are no arguments", whole)
	}
	return fmt.Errorf("%s: there is no such argument, but %s", whole, violation.OneOf(known))
}

// parse returns a value as JSON: an element, when the member is a list and the value is not JSON of one.
func (m *member) parse(value string) (string, error) {
	if m.object != nil || m.dotted != nil {
		return "", errors.New("its members are given already")
	}
	list := m.schema.has("array")
	switch {
	case list && m.whole, list && m.texts != nil && m.schema.takesWhole(value):
		return "", errors.New("the list is given as a whole, and has other values as well")
	case list && !m.schema.takesWhole(value):
		return parseValue(m.schema.in("items"), value)
	case m.texts != nil:
		return "", errors.New("it is given twice, and is not a list")
	}
	text, err := parseValue(m.schema, value)
	m.whole = err == nil
	return text, err
}

// takesWhole reports whether a word is the value of a list itself: JSON of an array, or null where the list may be null.
func (s schema) takesWhole(value string) bool {
	return strings.HasPrefix(value, "[") || value == "null" && s.has("null")
}

// parseValue returns a word as a JSON value that the schema allows.
func parseValue(s schema, value string) (string, error) {
	text, ok := s.read(value)
	choices := s.choices()
	if choices != nil && !slices.Contains(choices, text) {
		return "", &notAllowed{value: value, expected: s.word(), choices: choices}
	}
	if !ok {
		return "", fmt.Errorf("expected %s, got %q", s.word(), value)
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

// missingFaults names the members that have to be there and are not.
func (o *object) missingFaults(at string) (all []error) {
	for _, f := range o.fields {
		m := o.members[f.name]
		switch {
		case m == nil && f.required:
			all = append(all, fmt.Errorf("%s is missing: %s", at+f.name, f.schema.word()))
		case m != nil && m.object != nil:
			all = append(all, m.object.missingFaults(at+f.name+".")...)
		}
	}
	return all
}

// appendJSON appends the object.
func (o *object) appendJSON(b []byte) []byte {
	start := len(b)
	for _, name := range o.names {
		if m := o.members[name]; m.texts != nil || m.object != nil { // the others have faults
			b = m.appendJSON(append(wire.AppendString(append(b, ','), name), ':'))
		}
	}
	return wire.CloseObject(b, start)
}

func (m *member) appendJSON(b []byte) []byte {
	switch {
	case m.object != nil:
		return m.object.appendJSON(b)
	case m.schema.has("array") && !m.whole:
		return append(append(append(b, '['), strings.Join(m.texts, ",")...), ']')
	}
	return append(b, m.texts[0]...)
}

func quote(s string) string { return ir.Value{Kind: ir.Text, Text: s}.String() }
