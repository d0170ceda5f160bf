package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// follow returns what values that keep to some rules may break of others; empty if nothing.
func follow(have, want []ir.Rule) string {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h ir.Rule) bool { return ir.Implies(h, w) }) {
			if why := refusals(have, w); why != "" {
				return why
			}
		}
	}
	return ""
}

// refusals says which values a rule refuses. Rules that refuse nothing are none.
func refusals(have []ir.Rule, w ir.Rule) string {
	switch w := w.(type) {
	case *ir.Length:
		return outside(have, w, "texts", "characters", w.Min, w.Max)
	case *ir.Count:
		return outside(have, w, "values", "members", w.Min, w.Max)
	case *ir.Range:
		return outsideRange(have, w)
	case *ir.Conform:
		for _, h := range have {
			if h, ok := h.(*ir.Conform); ok && subschema.Within(h.Schema, w.Schema) {
				return ""
			}
		}
		return "values that do not fit its schema"
	}
	return w.Refuses()
}

// outside names the bounds of a length or count that are not kept already.
func outside(have []ir.Rule, w ir.Rule, what, unit string, low, high int) string {
	kept := func(low, high int) bool {
		return slices.ContainsFunc(have, func(h ir.Rule) bool { return ir.Implies(h, bounds(w, low, high)) })
	}
	var parts []string
	if low > 0 && !kept(low, -1) {
		parts = append(parts, fmt.Sprintf("fewer than %d", low))
	}
	if high >= 0 && !kept(0, high) {
		parts = append(parts, fmt.Sprintf("more than %d", high))
	}
	if parts == nil {
		return ""
	}
	return what + " of " + strings.Join(parts, " or ") + " " + unit
}

// bounds is a rule of the sort of w with other bounds.
func bounds(w ir.Rule, low, high int) ir.Rule {
	if _, ok := w.(*ir.Length); ok {
		return &ir.Length{Min: low, Max: high}
	}
	return &ir.Count{Min: low, Max: high}
}

// outsideRange names the bounds that are not kept already.
func outsideRange(have []ir.Rule, w *ir.Range) string {
	low := &ir.Range{Min: w.Min, ExclusiveMin: w.ExclusiveMin}
	high := &ir.Range{Max: w.Max, ExclusiveMax: w.ExclusiveMax}
	kept := func(r *ir.Range) bool {
		return slices.ContainsFunc(have, func(h ir.Rule) bool { return ir.Implies(h, r) })
	}
	var below, above string
	if w.Min != "" && !kept(low) {
		below = "numbers below " + w.Min
		if w.ExclusiveMin {
			below = "numbers of " + w.Min + " or less"
		}
	}
	if w.Max != "" && !kept(high) {
		above = "numbers above " + w.Max
		if w.ExclusiveMax {
			above = "numbers of " + w.Max + " or more"
		}
	}
	if below != "" && above != "" {
		return below + ", " + above
	}
	return below + above
}

// ruleText is a rule in the words of the printed model.
func ruleText(r ir.Rule) string {
	text := ir.Describe(&ir.String{Rules: []ir.Rule{r}})
	return text[len("string[") : len(text)-1]
}

// rules compares the rules of one type, rule by rule.
func (c *recorder) rules(s scope, old, new []ir.Rule) {
	s = s.holds("", "") // rules are checked by validators, not by types
	was, is := without(old, new), without(new, old)
	for _, r := range was {
		if at := slices.IndexFunc(is, func(o ir.Rule) bool { return o.Kind() == r.Kind() }); at >= 0 {
			c.rule(s, r, is[at])
			is = slices.Delete(is, at, at+1)
		} else {
			c.rule(s, r, nil)
		}
	}
	for _, r := range is {
		c.rule(s, nil, r)
	}
}

// without lists the rules of one side that the other does not have.
func without(all, others []ir.Rule) []ir.Rule {
	return slices.DeleteFunc(slices.Clone(all), func(r ir.Rule) bool {
		return slices.ContainsFunc(others, func(o ir.Rule) bool { return sameRule(o, r) })
	})
}

// rule reports one rule that came, went or changed.
func (c *recorder) rule(s scope, old, new ir.Rule) {
	var was, is string
	var before, after []ir.Rule
	var from, to diag.Pos
	if old != nil {
		was, before, from = ruleText(old), []ir.Rule{old}, old.Position()
	}
	if new != nil {
		is, after, to = ruleText(new), []ir.Rule{new}, new.Position()
	}
	oldSchema, _ := old.(*ir.Conform)
	if newSchema, ok := new.(*ir.Conform); ok && oldSchema != nil {
		definitions := reportedDefs{c, s.directions(), oldSchema.Schema, newSchema.Schema}
		o, n := definitions.remainder(oldSchema, newSchema)
		if o == nil {
			return
		}
		was, is = definitions.texts()
		before, after = []ir.Rule{o}, []ir.Rule{n}
	}
	text := "the rule " + was + " is gone"
	switch {
	case old == nil:
		text = "it has the rule " + is
	case new != nil:
		text = changeWords("the rule", was, is)
	}
	name := old
	if new != nil {
		name = new
	}
	r := relation{lost: follow(before, after), gained: follow(after, before)}
	c.emit(s.below(name.Kind()).at(from, to), RuleChanged, was, is, text, r)
}

// reportedDefs says which definitions of two JSON Schemas are reported elsewhere: those that are copies of a declared type, which has changed as well, and
// those whose change is reported for another JSON Schema that travels in the same directions.
type reportedDefs struct {
	*recorder
	directions string
	old, new   ir.Value
}

// elsewhere reports whether a definition is reported elsewhere.
func (r reportedDefs) elsewhere(name string) bool {
	return r.pairing.changed(name) || r.defined[r.key(name)]
}

// key stands for the change of a definition, in the directions in which its schema travels.
func (r reportedDefs) key(name string) string {
	was, is := subschema.Definition(r.old, name), subschema.Definition(r.new, name)
	return strings.Join([]string{r.directions, name, was.String(), is.String()}, "\x00")
}

// remainder returns the two rules without what is not a change, which is order, and without what is reported elsewhere. They are nil if nothing is left.
func (r reportedDefs) remainder(old, new *ir.Conform) (was, is ir.Rule) {
	o, n := *old, *new
	o.Schema, n.Schema = subschema.Without(subschema.Sort(old.Schema), r.elsewhere), subschema.Without(subschema.Sort(new.Schema), r.elsewhere)
	if was, is := subschema.Common(o.Schema, n.Schema); was.Equal(&is) {
		return nil, nil
	}
	return &o, &n
}

// texts describes the change by its first difference that is not reported elsewhere. If that is within a definition, it is reported from now on.
func (r reportedDefs) texts() (was, is string) {
	pointer, before, after := subschema.FirstDifference(subschema.Common(subschema.Without(r.old, r.elsewhere), subschema.Without(r.new, r.elsewhere)))
	if within, ok := strings.CutPrefix(pointer, "/$defs/"); ok {
		name, _, _ := strings.Cut(within, "/")
		r.defined[r.key(ir.UnescapePointer(name))] = true
	}
	part := func(v ir.Value) string {
		const most = 80
		s := v.String()
		switch {
		case v.Kind == ir.Null && v.Text == "":
			s = "nothing"
		case len(s) > most:
			s = strings.ToValidUTF8(s[:most], "") + "..."
		}
		return "schema with " + s + " at " + strconv.Quote(pointer)
	}
	return part(before), part(after)
}
