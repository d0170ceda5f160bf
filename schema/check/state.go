package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// stateChecker lowers the collections that a mock keeps.
type stateChecker struct {
	d     *draft
	doc   *ir.Document
	names *names
}

// mostStart limits the entries that there are at the start.
const mostStart = 1000

func (c *stateChecker) stateKey(section syntax.Entry) {
	for _, e := range c.d.entries(section, "write name: {type: ..., key: ..., create: ...}") {
		if c.names.named(e.Key, "a collection") && c.d.mapping(e, "write {type: ..., key: ..., create: ...}") {
			c.collection(e)
		}
	}
}

// collection lowers one collection, and checks it when all that it names is known.
func (c *stateChecker) collection(entry syntax.Entry) {
	c.d.keys(entry.Value, "a collection", grammar.State())
	s := &ir.State{Pos: entry.Key.Span.Pos, Name: entry.Key.Text}
	for _, key := range []string{"type", "key"} {
		if !c.d.needs(entry.Value, entry.Key.Span, "the collection "+s.Name, key) {
			return
		}
	}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "type":
			if s.Type = c.typeNamed(e); s.Type == nil {
				return
			}
		case "start":
			s.Start, _ = c.d.integer(e, 0, mostStart, diag.InvalidValue)
		default:
			c.d.plain(e, map[string]any{"key": &s.Key, "missing": &s.Missing})
		}
	}
	c.doc.State = append(c.doc.State, s)
	c.d.settle(func() { c.check(s, entry.Value) })
}

// typeNamed returns the type that a key names.
func (c *stateChecker) typeNamed(e syntax.Entry) *ir.Decl {
	name := c.d.text(e)
	if found := c.names.types[name]; found != nil {
		return found.decl
	}
	if name != "" {
		c.d.report(diag.UnknownType, e.Value.Span, c.d.suggest(name, c.names.typeNames), "unknown type %q", name)
	}
	return nil
}

// check checks a collection against the types, tools and methods of the file.
func (c *stateChecker) check(s *ir.State, n *syntax.Node) {
	entry := structOf(s.Type.Type)
	if entry == nil {
		c.d.report(diag.NotAnObject, n.Get("type").Span, "name a type with fields", "the entries of %s are not objects", s.Name)
		return
	}
	if key := n.Get("key"); entry.Field(s.Key) == nil {
		c.d.report(diag.InvalidValue, key.Span, c.d.suggest(s.Key, func() []string { return fieldNames(entry) }), "%q is not a member of %s", s.Key, s.Type.Name)
		return
	}
	var called []*operation
	for _, one := range []struct {
		key   string
		to    *string
		keyed bool // the input has the key of the entry
	}{{"create", &s.Create, false}, {"read", &s.Read, true}, {"list", &s.List, false}, {"update", &s.Update, true}, {"delete", &s.Delete, true}} {
		e := n.Entry(one.key)
		if e == nil {
			continue
		}
		name := c.d.text(*e)
		o := c.operation(name)
		if o == nil {
			if name != "" {
				c.d.report(diag.UnknownMethod, e.Value.Span, c.d.suggest(name, c.operationNames), "there is no tool or method %q", name)
			}
			continue
		}
		*one.to = name
		called = append(called, o)
		if input := structOf(o.input); one.keyed && (input == nil || input.Field(s.Key) == nil) {
			c.d.report(diag.InvalidValue, e.Value.Span, "add it to the input", "the input of %s has no %q, which tells the entries of %s apart", name, s.Key, s.Name)
		}
		if one.key == "list" && !holdsList(o.output, s.Type) {
			c.d.report(diag.InvalidValue, e.Value.Span, "return list<"+s.Type.Name+">, or an object with a member of that type",
				"the result of %s has no list of %s", name, s.Type.Name)
		}
	}
	if e := n.Entry("missing"); e != nil && s.Missing != "" {
		c.checkMissing(s, *e, called)
	}
}

// checkMissing checks that what fails with the error of an unknown key declares it.
func (c *stateChecker) checkMissing(s *ir.State, e syntax.Entry, called []*operation) {
	is := func(err *ir.Error) bool { return err.Name == s.Missing }
	for _, o := range called {
		if o.name != s.Create && o.name != s.List && !slices.ContainsFunc(o.errors, is) {
			c.d.report(diag.UnknownError, e.Value.Span, "add it to the errors of "+o.name, "%s does not declare the error %q", o.name, s.Missing)
			return
		}
	}
}

// operation is a tool or a method.
type operation struct {
	name          string
	input, output ir.Type // nil for none
	errors        []*ir.Error
}

// operation returns the tool or method of a name, or nil.
func (c *stateChecker) operation(name string) *operation {
	if t := ir.First(c.doc.Tools, func(t *ir.Tool) bool { return t.Name == name }); t != nil {
		return &operation{name, t.Input, t.Output, t.Errors}
	}
	if m := ir.First(c.doc.Methods, func(m *ir.Method) bool { return m.Name == name }); m != nil && !m.Notification && m.From != ir.FromServer {
		return &operation{name, m.Params, m.Result, m.Errors}
	}
	return nil
}

func (c *stateChecker) operationNames() (all []string) {
	all = ir.Each(c.doc.Tools, func(t *ir.Tool) string { return t.Name })
	methods := ir.Each(c.doc.Methods, func(m *ir.Method) string { return m.Name })
	return append(all, ir.Where(methods, func(name string) bool { return c.operation(name) != nil })...)
}

// holdsList reports whether a result is a list of a declared type, or an object with a member that is one.
func holdsList(t ir.Type, of *ir.Decl) bool {
	if isListOf(t, of) {
		return true
	}
	s := structOf(t)
	return s != nil && slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return isListOf(f.Type, of) })
}

// structOf returns the object that a type is, or nil.
func structOf(t ir.Type) *ir.Struct {
	if t == nil {
		return nil
	}
	return ir.AsStruct(ir.Underlying(t))
}

func isListOf(t ir.Type, of *ir.Decl) bool {
	if t == nil {
		return false
	}
	list, ok := ir.Underlying(t).(*ir.List)
	if !ok {
		return false
	}
	ref, ok := list.Elem.(*ir.Ref)
	return ok && ref.Decl == of
}
