package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// rulesIn returns the rules of a type that is not a name.
func rulesIn(t ir.Type) []ir.Rule {
	switch t := t.(type) {
	case *ir.Any:
		return t.Rules
	case *ir.Int:
		return t.Rules
	case *ir.Float:
		return t.Rules
	case *ir.Decimal:
		return t.Rules
	case *ir.String:
		return t.Rules
	case *ir.Bytes:
		return t.Rules
	case *ir.List:
		return t.Rules
	case *ir.Tuple:
		return t.Rules
	case *ir.Map:
		return t.Rules
	}
	return nil
}

// keepsRules reports whether own rules allow no more than the base's. It compares rule by rule: what only follows from
// several together counts as dropped.
func keepsRules(own, base []ir.Rule) bool {
	for _, b := range base {
		if !slices.ContainsFunc(own, func(o ir.Rule) bool { return implies(o, b) }) {
			return false
		}
	}
	return true
}

// implies reports whether one rule asks for at least what another of its kind asks for.
func implies(own, base ir.Rule) bool {
	switch base := base.(type) {
	case *ir.Length:
		o, ok := own.(*ir.Length)
		return ok && boundsWithin(o.Min, o.Max, base.Min, base.Max)
	case *ir.Count:
		o, ok := own.(*ir.Count)
		return ok && boundsWithin(o.Min, o.Max, base.Min, base.Max)
	case *ir.Range:
		o, ok := own.(*ir.Range)
		return ok && stricter(o.Min, o.ExclusiveMin, base.Min, base.ExclusiveMin, 1) && stricter(o.Max, o.ExclusiveMax, base.Max, base.ExclusiveMax, -1)
	case *ir.MultipleOf:
		o, ok := own.(*ir.MultipleOf)
		return ok && multiple(o.Of, base.Of)
	case *ir.Pattern:
		o, ok := own.(*ir.Pattern)
		return ok && o.Expr == base.Expr
	case *ir.Format:
		o, ok := own.(*ir.Format)
		return ok && o.Name == base.Name
	case *ir.Conform:
		o, ok := own.(*ir.Conform)
		return ok && judge.Equal(o.Schema, base.Schema)
	case *ir.Unique:
		_, ok := own.(*ir.Unique)
		return ok
	}
	return false
}

func boundsWithin(low, high, baseLow, baseHigh int) bool {
	return low >= baseLow && (baseHigh < 0 || high >= 0 && high <= baseHigh)
}

// stricter compares one end of two ranges; inward is the direction that is stricter.
func stricter(own string, ownExclusive bool, base string, baseExclusive bool, inward int) bool {
	if base == "" || own == "" {
		return base == ""
	}
	a, _ := decimal.Parse(own)
	b, _ := decimal.Parse(base)
	order := a.Cmp(b) * inward
	return order > 0 || order == 0 && (ownExclusive || !baseExclusive)
}

func multiple(own, base string) bool {
	a, _ := decimal.Parse(own)
	b, _ := decimal.Parse(base)
	return a.MultipleOf(b)
}
