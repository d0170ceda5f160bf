package lint

import (
	"fmt"
	"regexp/syntax"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What a client can make too large.
const (
	UnboundedString diag.Code = "UnboundedString" // a text without maxLength
	UnboundedList   diag.Code = "UnboundedList"   // a list without maxItems
)

func (p *pass) unboundedString() {
	p.inputs(func(at place) {
		switch t := at.t.(type) {
		case *ir.String:
			if !isBounded(t.Rules) {
				help := "add maxLength"
				if at.field != nil && at.field.Name == "cursor" {
					help += ", of 1000 or more: a view cuts no list whose cursor is shorter"
				}
				p.report(at.path, at.span, help, fmt.Sprintf("the text %s comes from a client and has no greatest length", at.name()))
			}
		case *ir.Bytes:
			if !isBounded(t.Rules) {
				p.report(at.path, at.span, "add maxLength", fmt.Sprintf("the bytes %s come from a client and have no greatest length", at.name()))
			}
		}
	})
}

func (p *pass) unboundedList() {
	p.inputs(func(at place) {
		if _, high := ir.Lengths(at.t, nil); ir.IsArray(at.t) && high < 0 {
			p.report(at.path, at.span, "add maxItems",
				fmt.Sprintf("the %s %s comes from a client and has no greatest length: only Options.DecodeBudget limits what it costs", ir.Word(at.t), at.name()))
		}
		if t, ok := at.t.(*ir.Map); ok && !isBounded(t.Rules) {
			p.report(at.path, at.span, "add maxProperties",
				fmt.Sprintf("the map %s comes from a client and has no greatest size: only Options.DecodeBudget limits what it costs", at.name()))
		}
	})
}

// name is what a message calls a place.
func (at place) name() string {
	if at.field != nil {
		return fmt.Sprintf("%q", at.field.Name)
	}
	return "at " + at.path
}

// isBounded reports whether rules leave a greatest size.
func isBounded(rules []ir.Rule) bool {
	return slices.ContainsFunc(rules, func(r ir.Rule) bool {
		switch r := r.(type) {
		case *ir.Length:
			return r.Max >= 0
		case *ir.Count:
			return r.Max >= 0
		case *ir.Format:
			return ir.FormatNamed(r.Name).Bounded
		case *ir.Pattern:
			expr, err := syntax.Parse(r.Expr, syntax.Perl)
			return err == nil && ends(expr) && finite(expr)
		}
		return false
	})
}

// ends reports whether an expression must match a text from its beginning to its end.
func ends(expr *syntax.Regexp) bool {
	return expr.Op == syntax.OpConcat && expr.Sub[0].Op == syntax.OpBeginText && expr.Sub[len(expr.Sub)-1].Op == syntax.OpEndText
}

func finite(expr *syntax.Regexp) bool {
	if expr.Op == syntax.OpStar || expr.Op == syntax.OpPlus || expr.Op == syntax.OpRepeat && expr.Max < 0 {
		return false
	}
	return !slices.ContainsFunc(expr.Sub, func(sub *syntax.Regexp) bool { return !finite(sub) })
}
