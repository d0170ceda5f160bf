package lint

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What clients of tomorrow's server will stumble over.
const (
	ClosedResult  diag.Code = "ClosedResult"  // a closed enum or union in a result
	UnsafeInteger diag.Code = "UnsafeInteger" // a number that JavaScript rounds

	UnlimitedResult diag.Code = "UnlimitedResult" // a result that the budget of the server does not limit
)

func (p *pass) closedResult() {
	p.results(func(at place) {
		_, isEnum := at.t.(*ir.Enum)
		switch {
		case ir.IsOpen(at.t):
		case isEnum:
			p.report(at.path, at.span, "add open: true", fmt.Sprintf("the enum %s is closed, and a result holds it: a value that is added later breaks older "+
				"clients", at.name()))
		case byObject(ir.DecisionOf(at.t)):
			p.report(at.path, at.span, "add open: true", fmt.Sprintf("the union %s is closed, and a result holds it: a branch that is added later breaks older "+
				"clients", at.name()))
		}
	})
}

func (p *pass) unlimitedResult() {
	if p.doc.Server == nil || p.doc.Server.Budget.Result == 0 {
		return
	}
	p.tools("give it output with fields, or limit what its method returns", "the budget of results does not limit %s: it has no output with fields",
		func(t *ir.Tool) bool { return t.View == nil && (t.Output != nil || t.Content != nil) })
}

// byObject reports whether a union is decided by what an object holds, which is where branches are added.
func byObject(d ir.Decision) bool {
	switch d.(type) {
	case *ir.ByProperty, *ir.ByPresence, *ir.InProperty:
		return true
	}
	return false
}

// safest is the greatest integer that a double and all below it hold (ECMAScript, Number.MAX_SAFE_INTEGER).
const safest = "9007199254740991"

func (p *pass) unsafeInteger() {
	p.results(func(at place) {
		if t, ok := at.t.(*ir.Int); ok && t.Bits == 64 && !safe(t) {
			p.report(at.path, at.span, "add maximum: "+safest+" (and minimum), or use int32 or string",
				fmt.Sprintf("the integer %s may be greater than JavaScript can read exactly", at.name()))
		}
	})
}

func safe(t *ir.Int) bool {
	low, high := t.Unsigned, false
	for _, r := range t.Rules {
		if r, ok := r.(*ir.Range); ok {
			low = low || within(r.Min)
			high = high || within(r.Max)
		}
	}
	return low && high
}

func within(bound string) bool {
	d, ok := decimal.Parse(bound)
	if !ok {
		return false
	}
	high, _ := decimal.Parse(safest)
	low, _ := decimal.Parse("-" + safest)
	return d.Cmp(high) <= 0 && d.Cmp(low) >= 0
}
