package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// codecOfFile reads the codec of all that the file declares.
func (c *checker) codecOfFile(e syntax.Entry) {
	c.doc.Compact = c.d.codec(e, grammar.Document().Value("go"))
	c.d.settle(func() {
		if c.doc.Compact && len(c.doc.Methods) == 0 && c.doc.Server == nil {
			c.d.report(diag.MisplacedKey, e.Key.Span, "remove it: other packages import the types, and need all of their methods",
				"a file without methods and tools always has the full codec")
		}
	})
}

// jsonOfFile reads whether the types of the file have methods for encoding/json.
func (c *checker) jsonOfFile(e syntax.Entry) {
	c.doc.WithoutJSON = !c.d.boolean(e)
	c.d.settle(func() {
		if c.doc.Compact {
			c.d.report(diag.MisplacedKey, e.Key.Span, "remove it", "the types of the compact codec have no methods for encoding/json")
		}
	})
}

// codec reads the one codec that place takes. It reports false if there is a fault.
func (c *reader) codec(e syntax.Entry, place *grammar.Place) bool {
	return c.word(e, place.Value("codec").Words...) == e.Value.Text
}

// codecOfCall reports whether a method or a tool is fast. The function carried returns the types that a call carries, once these are known.
func (c *draft) codecOfCall(doc *ir.Document, e syntax.Entry, carried func() []ir.Type) bool {
	fast := c.codec(e, grammar.Method())
	c.settle(func() {
		types := slices.DeleteFunc(carried(), func(t ir.Type) bool { return t == nil })
		switch {
		case !fast || slices.ContainsFunc(types, func(t ir.Type) bool { return c.faulty[ir.Underlying(t)] }):
		case !slices.ContainsFunc(types, holdsCode):
			c.report(diag.MisplacedKey, e.Key.Span, "remove it", "codec changes nothing here: a call carries no objects, no unions and no named arrays")
		case !doc.Compact:
			c.report(diag.MisplacedKey, e.Key.Span, "remove it, or write codec: compact under go", "codec changes nothing here: the whole file has the full codec")
		}
	})
	return fast
}

// hasCode reports whether generated code of a declaration of type t reads and writes it.
func hasCode(t ir.Type) bool {
	return ir.IsArray(t) || ir.IsObject(t) || ir.Word(t) == "union" && !ir.IsContextual(t)
}

// holdsCode reports whether generated code of a type reads and writes something in a value of t.
func holdsCode(t ir.Type) bool {
	if ref, ok := t.(*ir.Ref); ok {
		return !ref.Decl.Go.Bound() && (hasCode(ref.Decl.Type) || holdsCode(ref.Decl.Type))
	}
	if elem := ir.Elem(t); elem != nil {
		return holdsCode(elem)
	}
	return hasCode(t)
}
