package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// unrated judges another rate of what a side calls: the functions that return the limits of rates exist as long as there is a rate.
func (c *callComparer) unrated(from ir.Side) Judgement {
	for _, one := range []struct {
		by   ir.Side
		name string
	}{{ir.FromClient, "RateLimits"}, {ir.FromServer, "CallbackRateLimits"}} {
		if (from == one.by || from == ir.FromBoth) && rated(c.doc.old, one.by) && !rated(c.doc.new, one.by) {
			return Judgement{Break, one.name + " is gone"}
		}
	}
	return Judgement{OK, "the Go types stay as they are"}
}

// rated reports whether a document has rates of what one side calls.
func rated(doc *ir.Document, by ir.Side) bool {
	for _, m := range doc.Methods {
		if m.Rate != nil && !m.Embedded && (m.From == by || m.From == ir.FromBoth) {
			return true
		}
	}
	for _, t := range doc.Tools {
		if t.Rate != nil && by == ir.FromClient {
			return true
		}
	}
	return false
}
