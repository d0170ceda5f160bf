package diff

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// function is a generated function that exists as long as something is said of a method or a tool.
type function struct {
	server, client string // its names, for what clients and servers call
	ofMethod       func(*ir.Method) bool
	ofTool         func(*ir.Tool) bool
}

var (
	rateFunction = function{"RateLimits", "CallbackRateLimits",
		func(m *ir.Method) bool { return m.Rate != nil }, func(t *ir.Tool) bool { return t.Rate != nil }}
	keepFunction = function{"CacheRules", "CallbackCacheRules",
		func(m *ir.Method) bool { return m.Keep != nil }, func(t *ir.Tool) bool { return t.Keep != nil }}
)

// without judges a change of what is said of something that a side calls: the function may be gone with it.
func (c *callComparer) without(f function, from ir.Side) Judgement {
	for _, one := range []struct {
		by   ir.Side
		name string
	}{{ir.FromClient, f.server}, {ir.FromServer, f.client}} {
		if (from == one.by || from == ir.FromBoth) && f.in(c.doc.old, one.by) && !f.in(c.doc.new, one.by) {
			return Judgement{Break, one.name + " is gone"}
		}
	}
	return Judgement{OK, "the Go types stay as they are"}
}

// in reports whether a document has the function for what one side calls.
func (f function) in(doc *ir.Document, by ir.Side) bool {
	calls := func(m *ir.Method) bool {
		return f.ofMethod(m) && !m.Embedded && (m.From == by || m.From == ir.FromBoth)
	}
	return slices.ContainsFunc(doc.Methods, calls) || by == ir.FromClient && slices.ContainsFunc(doc.Tools, f.ofTool)
}
