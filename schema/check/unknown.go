package check

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// readUnknown reads what becomes of members that fields in place do not name, which means for them what is listed. Named types say it themselves.
func (c *typeChecker) readUnknown(e syntax.Entry, payload *syntax.Entry, of func() ir.Type, means map[string]ir.Additional) {
	word := c.d.word(e, grammar.Tool().Value("unknown").Words...)
	if payload == nil || payload.Value.Kind != syntax.Mapping {
		c.d.report(diag.ConflictingKeys, e.Key.Span, "remove it; a type says it with additional: any or false",
			"unknown is about fields that are written here, and there are none")
		return
	}
	c.d.settle(func() { takeUnknown(of(), means[word]) })
}

// takeUnknown says of an object and those written within it what becomes of additional members, where they do not say it.
func takeUnknown(t ir.Type, is ir.Additional) {
	if s, ok := t.(*ir.Struct); ok && s.Additional == ir.AdditionalIgnored {
		s.Additional = is
	}
	if _, named := t.(*ir.Ref); named || t == nil {
		return
	}
	for part := range ir.Parts(t) {
		takeUnknown(part.Type, is)
	}
}
