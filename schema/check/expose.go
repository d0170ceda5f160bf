package check

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// expose reads which x-* keys of methods and tools generated code says.
func (c *checker) expose(e syntax.Entry) {
	for _, word := range c.d.words(e) {
		switch key := (ir.Key{Name: word.Text, Pos: word.Span.Pos}); {
		case !grammar.IsExtension(key.Name):
			c.d.report(diag.InvalidValue, word.Span, "name keys of methods and tools that begin with x-", "%q is not a key of your own", key.Name)
		case slices.ContainsFunc(c.doc.Exposed, func(k ir.Key) bool { return k.Name == key.Name }):
			c.d.report(diag.InvalidValue, word.Span, "name each key once", "%q is already there", key.Name)
		default:
			c.doc.Exposed = append(c.doc.Exposed, key)
			c.d.settle(func() { c.matchExposed(key) })
		}
	}
}

// matchExposed compares the values of a key, which are results of one function.
func (c *checker) matchExposed(key ir.Key) {
	first := new(ir.Value)
	found := false
	see := func(m *ir.Meta) {
		v := m.Extension(key.Name)
		if v.Pos == (diag.Pos{}) {
			return
		}
		found = true
		at := point(v.Pos, len(v.Text))
		switch _, err := strconv.ParseInt(v.Text, 10, 64); {
		case v.Kind != ir.Text && v.Kind != ir.Boolean && (v.Kind != ir.Integer || err != nil):
			c.d.report(diag.WrongKind, at, "write a text, true, false or an integer of 64 bits in digits, or do not expose it",
				"%s is exposed, and Go has no constant for this", key.Name)
		case first.Kind != ir.Null && first.Kind != v.Kind:
			c.d.collide(diag.WrongKind, at, "write values of one kind", key.Name+" is exposed, and is "+v.Kind.String()+" here", point(first.Pos, len(first.Text)),
				"it is "+first.Kind.String()+" here")
		default:
			first = v
		}
	}
	for _, m := range c.doc.Methods {
		see(&m.Meta)
	}
	for _, t := range c.doc.Tools {
		see(&t.Meta)
	}
	if !found {
		c.d.report(diag.InvalidValue, point(key.Pos, len(key.Name)), "write it where it is known, or take it out of expose", "no method and no tool has %s", key.Name)
	}
}
