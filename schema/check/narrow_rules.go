package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// rulesIn returns the rules of a type that is not a name. Those of an object are not compared: its fields are.
func rulesIn(t ir.Type) []ir.Rule {
	if _, object := t.(*ir.Struct); object {
		return nil
	}
	return ir.RulesOf(t)
}

// keepsRules reports whether own rules allow no more than the base's. It compares rule by rule: what only follows from several together counts as dropped.
func keepsRules(own, base []ir.Rule) bool {
	return !slices.ContainsFunc(base, func(b ir.Rule) bool {
		return !slices.ContainsFunc(own, func(o ir.Rule) bool { return implies(o, b) })
	})
}

// implies reports whether one rule asks for at least what another of its kind asks for.
func implies(own, base ir.Rule) bool {
	if b, ok := base.(*ir.Conform); ok {
		o, ok := own.(*ir.Conform)
		return ok && judge.Equal(o.Schema, b.Schema)
	}
	return ir.Implies(own, base)
}
