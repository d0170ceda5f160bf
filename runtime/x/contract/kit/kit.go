// Package kit is what generated test kits call: rpcgen generate --kit writes a package of a few lines for each tool, which names types, and the
// rest is here. A kit draws values of the types of a schema, has a fake server, and checks servers by package contract.
//
// Nothing here is promised yet.
package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
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
	_, v, err := s.drawPair(c)
	if err != nil {
		panic(err)
	}
	return v
}

// drawPair draws a value and its JSON.
func (s *Shape[T]) drawPair(c *values.Choices) (text []byte, v T, err error) {
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

// ConnectMCP connects a client to an MCP server in memory. The connection is closed when the test ends.
func ConnectMCP(t testing.TB, server *mcp.Server) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Connect connects a client to a JSON-RPC server in memory, given what serves the calls of the server, which may be nil. The connection is
// closed when the test ends.
func Connect(t testing.TB, server, callbacks runtime.Handler) runtime.Conn {
	t.Helper()
	near, far := pipe.New(0)
	service := runtime.NewSession(t.Context(), far, server, runtime.Options{})
	conn := runtime.NewSession(t.Context(), near, callbacks, runtime.Options{})
	t.Cleanup(func() {
		conn.Close()
		conn.Wait()
		service.Wait()
	})
	return conn
}

// Fake is the part that fake servers have in common: what their methods do whose function is nil.
type Fake struct {
	t       testing.TB
	sampled bool
	seed    uint64

	mu    sync.Mutex
	calls uint64
}

// NewFake returns a fake whose methods fail the test unless they have a function.
func NewFake(t testing.TB) *Fake { return &Fake{t: t} }

// Sampled lets methods without a function answer values that are drawn from their schemas.
func (f *Fake) Sampled(seed uint64) { f.sampled, f.seed = true, seed }

// Calls keeps what a method was called with. It is safe for concurrent use.
type Calls[T any] struct {
	mu  sync.Mutex
	all []T
}

// All returns what the method was called with, in order.
func (c *Calls[T]) All() []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]T(nil), c.all...)
}

func (c *Calls[T]) add(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, v)
}

// Answer is a method of a fake server that takes a value and returns one. The shape is nil if the result cannot be drawn.
func Answer[In, Out any](ctx context.Context, f *Fake, method string, in In, calls *Calls[In], do func(context.Context, In) (Out, error),
	out *Shape[Out]) (Out, error) {
	calls.add(in)
	if do != nil {
		return do(ctx, in)
	}
	return sample(f, method, out)
}

// Give is a method that returns a value and takes none.
func Give[Out any](ctx context.Context, f *Fake, method string, calls *Calls[struct{}], do func(context.Context) (Out, error), out *Shape[Out]) (Out, error) {
	calls.add(struct{}{})
	if do != nil {
		return do(ctx)
	}
	return sample(f, method, out)
}

// Do is a method that takes a value and returns none.
func Do[In any](ctx context.Context, f *Fake, method string, in In, calls *Calls[In], do func(context.Context, In) error) error {
	calls.add(in)
	if do != nil {
		return do(ctx, in)
	}
	return f.unset(method)
}

// Run is a method that neither takes nor returns a value.
func Run(ctx context.Context, f *Fake, method string, calls *Calls[struct{}], do func(context.Context) error) error {
	calls.add(struct{}{})
	if do != nil {
		return do(ctx)
	}
	return f.unset(method)
}

// unset is what a method without a function answers that returns no value.
func (f *Fake) unset(method string) error {
	if f.sampled {
		return nil
	}
	return f.fail(method + " was called, and its function is nil")
}

// sample is what a method without a function answers that returns a value.
func sample[Out any](f *Fake, method string, out *Shape[Out]) (v Out, err error) {
	switch {
	case !f.sampled:
		return v, f.unset(method)
	case out == nil:
		return v, f.fail(fmt.Sprintf("%s was called, its function is nil, and a %T is not drawn from a schema", method, v))
	}
	f.mu.Lock()
	f.calls++
	c := values.NewChoices(f.seed, f.calls)
	f.mu.Unlock()
	if _, v, err = out.drawPair(c); err != nil {
		return v, f.fail(err.Error())
	}
	return v, nil
}

// fail fails the test. The caller of the method gets an error that does not describe the test.
func (f *Fake) fail(what string) error {
	f.t.Helper()
	f.t.Error(what)
	return runtime.ErrUnimplemented
}
