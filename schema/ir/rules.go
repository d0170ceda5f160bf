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

// rulesAt returns where t keeps its rules; nil if no rule applies to it.
func rulesAt(t Type) (at *[]Rule) {
	if t != nil {
		_, at = t.facts()
	}
	return at
}

// AllRules returns the rules of t, and those of the declarations that it refers to.
func AllRules(t Type) []Rule {
	if r, ok := t.(*Ref); ok {
		return slices.Concat(r.Rules, AllRules(r.Decl.Type))
	}
	return RulesOf(t)
}

// CanHaveRules reports whether rules may stand at t.
func CanHaveRules(t Type) bool { return rulesAt(t) != nil }

// AddRules adds rules to t. It reports whether t can have rules.
func AddRules(t Type, rules []Rule) bool {
	at := rulesAt(t)
	if at != nil {
		*at = append(*at, rules...)
	}
	return at != nil
}

// Implies reports whether every value that keeps to have keeps to want. It compares one rule with one: what only follows from several
// together is not implied.
func Implies(have, want Rule) bool {
	return want.impliedBy(have) || have.Kind() == want.Kind() && have.describe() == want.describe()
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
