package ir

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
)

// RulesOf returns the rules that stand at t itself: those of a use of a name, not those of its declaration.
func RulesOf(t Type) []Rule {
	if at := rulesAt(t); at != nil {
		return *at
	}
	return nil
}

// AllRules returns the rules of t, and those of the declarations that it refers to.
func AllRules(t Type) []Rule {
	if r, ok := t.(*Ref); ok {
		return slices.Concat(r.Rules, AllRules(r.Decl.Type))
	}
	return RulesOf(t)
}

// AddRules adds rules to t. It reports whether t can have rules.
func AddRules(t Type, rules []Rule) bool {
	at := rulesAt(t)
	if at != nil {
		*at = append(*at, rules...)
	}
	return at != nil
}

// WithRules returns a copy of t with more rules, within a Nullable on what is not null; t itself if no rule applies to it.
func WithRules(t Type, rules []Rule) Type {
	if len(rules) == 0 {
		return t
	}
	if null, ok := t.(*Nullable); ok {
		return &Nullable{At: null.At, Elem: WithRules(null.Elem, rules)}
	}
	c := copied(t)
	if at := rulesAt(c); at != nil {
		*at = slices.Concat(*at, rules)
	}
	return c
}

// Implies reports whether every value that keeps to have keeps to want. It compares one rule with one: what only follows from several
// together is not implied.
func Implies(have, want Rule) bool {
	switch w := want.(type) {
	case *Length:
		h, ok := have.(*Length)
		return ok && within(h.Min, h.Max, w.Min, w.Max)
	case *Count:
		h, ok := have.(*Count)
		return ok && within(h.Min, h.Max, w.Min, w.Max)
	case *Range:
		h, ok := have.(*Range)
		return ok && stricter(h.Min, h.ExclusiveMin, w.Min, w.ExclusiveMin, 1) && stricter(h.Max, h.ExclusiveMax, w.Max, w.ExclusiveMax, -1)
	case *MultipleOf:
		h, ok := have.(*MultipleOf)
		return ok && multiple(h.Of, w.Of)
	}
	return rule(have) == rule(want)
}

func within(low, high, wantLow, wantHigh int) bool {
	return low >= wantLow && (wantHigh < 0 || high >= 0 && high <= wantHigh)
}

// stricter compares one end of two ranges; inward is the direction that is stricter.
func stricter(have string, haveExclusive bool, want string, wantExclusive bool, inward int) bool {
	if want == "" || have == "" {
		return want == ""
	}
	a, _ := decimal.Parse(have)
	b, _ := decimal.Parse(want)
	order := a.Cmp(b) * inward
	return order > 0 || order == 0 && (haveExclusive || !wantExclusive)
}

func multiple(have, want string) bool {
	a, _ := decimal.Parse(have)
	b, _ := decimal.Parse(want)
	return a.MultipleOf(b)
}
