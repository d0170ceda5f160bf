package check

import (
	"math"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// rate reads how often a method or a tool may be called.
func (c *reader) rate(e syntax.Entry) *ir.Rate {
	if !c.mapping(e, "write {calls: 10, per: 1m}") {
		return nil
	}
	place := grammar.Method().Value("rate")
	c.keys(e.Value, "a rate", place)
	if e.Value.Get("calls") == nil {
		c.report(diag.MissingKey, e.Key.Span, "add calls: and a number", "the rate has no calls")
		return nil
	}
	r := &ir.Rate{Per: time.Second}
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "calls":
			r.Calls, _ = c.integer(e, 1, math.MaxInt32, diag.InvalidValue)
		case "per":
			r.Per = c.duration(e, "period")
		case "burst":
			r.Burst, _ = c.integer(e, 1, math.MaxInt32, diag.InvalidValue)
		case "each":
			r.Each = ir.RateScope(c.choice(e, place.Value("each")))
		}
	}
	return r
}
