package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// codec reads a codec that place takes. It is unset if there is a fault.
func (c *reader) codec(e syntax.Entry, place *grammar.Place) ir.Codec {
	word := c.word(e, place.Value("codec").Words...)
	for _, codec := range []ir.Codec{ir.CodecFull, ir.CodecCompact, ir.CodecFast} {
		if codec.String() == word && word == e.Value.Text {
			return codec
		}
	}
	return ir.CodecUnset
}

// codecOfFile reads the codec of all that the file declares.
func (c *checker) codecOfFile(e syntax.Entry) {
	c.doc.Codec = c.codec(e, grammar.Document().Value("go"))
	c.settle(func() {
		if c.doc.Codec == ir.CodecCompact && !hasCalls(c.doc) {
			c.report(diag.MisplacedKey, e.Key.Span, "remove it: other packages import the types, and need all of their methods",
				"a file without methods and tools always has the full codec")
		}
	})
}

// hasCalls reports whether a file has methods, or a server with tools.
func hasCalls(doc *ir.Document) bool { return len(doc.Methods) > 0 || doc.Server != nil }

// codecOfType reads the codec of a declaration.
func (c *typeChecker) codecOfType(d *ir.Decl, e syntax.Entry) {
	d.Codec = c.codec(e, grammar.Schema(grammar.Declared))
	c.settle(func() {
		ref, isRef := d.Type.(*ir.Ref)
		switch {
		case d.Codec == ir.CodecUnset || c.faulty[ir.Underlying(d.Type)]:
		case d.Mixin:
			c.report(diag.MisplacedKey, e.Key.Span, "write it at the types that extend it", "codec changes nothing here: a mixin has no code")
		case d.Go.Bound():
			c.report(diag.MisplacedKey, e.Key.Span, "remove it", "codec changes nothing here: the Go type %s.%s reads and writes itself", d.Go.Import, d.Go.Type)
		case isRef:
			c.report(diag.MisplacedKey, e.Key.Span, "write it at "+ref.Decl.Name, "codec changes nothing here: %q is another name of %q", d.Name, ref.Decl.Name)
		case !hasCode(d.Type):
			c.report(diag.MisplacedKey, e.Key.Span, "write it at the objects that hold it", "codec changes nothing here: %q is of type %s", d.Name, kindWord(d.Type))
		case d.Codec == ir.CodecFast:
			c.fastIn(c.doc, e)
		}
	})
}

// fastIn reports a codec that changes nothing, because the whole file has the full one.
func (c *draft) fastIn(doc *ir.Document, e syntax.Entry) {
	switch {
	case !hasCalls(doc):
		c.report(diag.MisplacedKey, e.Key.Span, "remove it", "codec changes nothing here: a file without methods and tools always has the full codec")
	case doc.Codec == ir.CodecFull:
		c.report(diag.MisplacedKey, e.Key.Span, "remove it, or write codec: compact under go", "codec changes nothing here: the whole file has the full codec")
	}
}

// codecOfCall reads the codec of a method or a tool. The function carried returns the types that a call carries, once these are known.
func (c *draft) codecOfCall(doc *ir.Document, e syntax.Entry, carried func() []ir.Type) ir.Codec {
	codec := c.codec(e, grammar.Method())
	c.settle(func() {
		types := slices.DeleteFunc(carried(), func(t ir.Type) bool { return t == nil })
		switch {
		case codec == ir.CodecUnset || slices.ContainsFunc(types, func(t ir.Type) bool { return c.faulty[ir.Underlying(t)] }):
		case slices.ContainsFunc(types, func(t ir.Type) bool { return holdsCode(t) }):
			c.fastIn(doc, e)
		default:
			c.report(diag.MisplacedKey, e.Key.Span, "remove it", "codec changes nothing here: a call carries no objects, no unions and no named arrays")
		}
	})
	return codec
}

// hasCode reports whether generated code of a declaration of type t reads and writes it.
func hasCode(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.Struct, *ir.Tuple, *ir.List, *ir.Map:
		return true
	case *ir.Union:
		_, kept := t.Decide.(*ir.ByContext)
		return !kept
	}
	return false
}

// holdsCode reports whether generated code of a type reads and writes something in a value of t.
func holdsCode(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.Ref:
		return !t.Decl.Go.Bound() && (hasCode(t.Decl.Type) || holdsCode(t.Decl.Type))
	case *ir.List, *ir.Map, *ir.Nullable:
		return holdsCode(ir.Elem(t))
	}
	return hasCode(t)
}
