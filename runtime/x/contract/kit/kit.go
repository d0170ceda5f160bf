// Package kit is what generated test kits call: rpcgen generate --kit writes a package of a few lines for each tool, which names types, and the
// rest is here. A kit draws values of the types of a schema, has a fake server, and checks servers by package contract.
//
// Nothing here is promised yet.
package kit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// Shape draws values of a Go type from the JSON Schema that describes it. It is safe for concurrent use.
type Shape[T any] struct {
	decode func(b []byte, v *T) error
	text   func() string

	mu     sync.Mutex // of schema
	schema *values.Schema
}

// Defs are JSON Schemas that others refer to as "#/$defs/NAME", by name.
type Defs map[string]string

// of returns a schema with the definitions that it needs. A schema that has definitions needs no others.
func (d Defs) of(schema string) string {
	needed := map[string]bool{}
	var find func(text string)
	find = func(text string) {
		for name, def := range d {
			if !needed[name] && strings.Contains(text, `"#/$defs/`+name+`"`) {
				needed[name] = true
				find(def)
			}
		}
	}
	find(schema)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		fmt.Fprintf(&b, ",%q:%s", name, d[name])
	}
	if b.Len() == 0 {
		return schema
	}
	return strings.TrimSuffix(schema, "}") + `,"$defs":{` + b.String()[1:] + "}}"
}

// Of returns the shape of a type that a JSON Schema describes, given the definitions that it shares with others, if there are any. The schema is
// compiled when the first value is drawn.
func Of[T any](schema string, shared ...Defs) *Shape[T] {
	return &Shape[T]{text: sync.OnceValue(func() string { return whole(schema, shared) }), decode: decode[T]}
}

func whole(schema string, shared []Defs) string {
	for _, d := range shared {
		schema = d.of(schema)
	}
	return schema
}

// OfUnion returns the shape of a union, given the function that decodes it.
func OfUnion[T any](schema string, read func(*wire.Reader) T, shared ...Defs) *Shape[T] {
	return &Shape[T]{text: sync.OnceValue(func() string { return whole(schema, shared) }), decode: func(b []byte, v *T) error {
		return wire.Unmarshal(b, func(r *wire.Reader) { *v = read(r) }, nil)
	}}
}

// decode reads JSON into a value of a generated type, whichever codec it has.
func decode[T any](b []byte, v *T) error {
	switch v := any(v).(type) {
	case wire.Decoder:
		return wire.UnmarshalCopy(b, v)
	case compact.Walked:
		return wire.Unmarshal(b, func(r *wire.Reader) { compact.WalkDecode(r, v) }, func(vs *violation.List) { compact.WalkRules(vs, v) })
	}
	return json.Unmarshal(b, v)
}

// tries is how many values are drawn for one that the type can hold.
const tries = 100

// Schema returns the JSON Schema.
func (s *Shape[T]) Schema() []byte { return []byte(s.text()) }

// Valid draws a value that fits the schema. It panics if none is found: the schema then describes no value, or none that the type can hold.
func (s *Shape[T]) Valid(c *values.Choices) T {
	_, v, err := s.both(c)
	if err != nil {
		panic(err)
	}
	return v
}

// both draws a value and its JSON.
func (s *Shape[T]) both(c *values.Choices) (text []byte, v T, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.compile(); err != nil {
		return nil, v, err
	}
	err = fmt.Errorf("kit: no %T was found that fits its schema: give examples", v)
	for range tries {
		text, ok := s.schema.Draw(c)
		if !ok {
			continue
		}
		var drawn T
		if err = s.decode(text, &drawn); err == nil {
			return text, drawn, nil
		}
		err = fmt.Errorf("kit: %T cannot hold %s, which fits its schema: %w", v, text, err)
	}
	return nil, v, err
}

// Invalid draws JSON that breaks exactly one rule of the schema, and says which. The JSON is nil if the schema has no rule.
func (s *Shape[T]) Invalid(c *values.Choices) ([]byte, values.Break) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.compile(); err != nil {
		panic(err)
	}
	for range tries {
		text, broken, ok := s.schema.Break(c)
		if ok && !(broken.Keyword == "type" && s.decode(text, new(T)) == nil) { // null may be read as absent
			return text, broken
		}
	}
	return nil, values.Break{}
}

func (s *Shape[T]) compile() (err error) {
	if s.schema == nil {
		if s.schema, err = values.Compile([]byte(s.text())); err != nil {
			return fmt.Errorf("kit: the schema of %T: %w", *new(T), err)
		}
		s.schema.Formats = true
	}
	return nil
}
