package judge

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// rules judges a value of a type by rules. A rule says nothing about values of another kind, as in JSON Schema. Of a float64, rules see the
// number that it was rounded to.
func (j *judgement) rules(t ir.Type, rules []ir.Rule, v ir.Value) {
	if _, rounded := shape(t).(*ir.Float); rounded && (v.Kind == ir.Integer || v.Kind == ir.Number) {
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
			v.Text = strconv.FormatFloat(f, 'e', -1, 64)
		}
	}
	for _, rule := range rules {
		switch rule := rule.(type) {
		case *ir.Length:
			if v.Kind == ir.Text {
				j.bounds(length(v), rule.Min, rule.Max, "minLength", "maxLength", "character")
			}
		case *ir.Count:
			j.count(rule, v)
		case *ir.Range:
			if v.Kind == ir.Integer || v.Kind == ir.Number {
				j.between(rule, v)
			}
		case *ir.MultipleOf:
			j.multiple(t, rule, v)
		case *ir.Pattern:
			if v.Kind == ir.Text && !regexp.MustCompile(rule.Expr).MatchString(v.Text) {
				j.fault("pattern", "must match "+rule.Expr)
			}
		case *ir.Conform:
			if !Conforms(rule.Schema, Kept(t, v)) {
				j.fault("schema", "must fit the schema "+rule.Schema.String())
			}
		case *ir.Format:
			if v.Kind == ir.Text && !HasFormat(rule.Name, v.Text) {
				j.fault("format", "must be "+text.Article(rule.Name))
			}
		case *ir.Unique: // see listRules
		case *ir.Require:
			if v.Kind == ir.Object {
				j.require(rule, v)
			}
		}
	}
}

func (j *judgement) count(rule *ir.Count, v ir.Value) {
	switch v.Kind {
	case ir.Array:
		j.bounds(length(v), rule.Min, rule.Max, "minItems", "maxItems", "item")
	case ir.Object:
		j.bounds(length(v), rule.Min, rule.Max, "minProperties", "maxProperties", "member")
	}
}

func (j *judgement) bounds(n, low, high int, lowRule, highRule, unit string) {
	if n < low {
		j.fault(lowRule, "must have at least "+text.Counted(low, unit))
	}
	if high >= 0 && n > high {
		j.fault(highRule, "must have at most "+text.Counted(high, unit))
	}
}

// compare compares two number texts exactly.
func compare(a, b string) int {
	x, _ := decimal.Parse(a)
	y, _ := decimal.Parse(b)
	return x.Cmp(y)
}

func (j *judgement) between(rule *ir.Range, v ir.Value) {
	if rule.Min != "" {
		order := compare(v.Text, rule.Min)
		switch {
		case rule.ExclusiveMin && order <= 0:
			j.fault("exclusiveMinimum", "must be more than "+rule.Min)
		case order < 0:
			j.fault("minimum", "must be at least "+rule.Min)
		}
	}
	if rule.Max != "" {
		order := compare(v.Text, rule.Max)
		switch {
		case rule.ExclusiveMax && order >= 0:
			j.fault("exclusiveMaximum", "must be less than "+rule.Max)
		case order > 0:
			j.fault("maximum", "must be at most "+rule.Max)
		}
	}
}

// multiple judges a number by the text of the message. A float64 is also a multiple if it is the one nearest to a multiple: it stands for
// all numbers that are rounded to it.
func (j *judgement) multiple(t ir.Type, rule *ir.MultipleOf, v ir.Value) {
	if v.Kind != ir.Integer && v.Kind != ir.Number {
		return
	}
	number, _ := decimal.Parse(v.Text)
	of, _ := decimal.Parse(rule.Of)
	if _, rounded := shape(t).(*ir.Float); rounded && nearestToMultiple(v.Text, rule.Of) {
		return
	}
	if !number.MultipleOf(of) {
		j.fault("multipleOf", "must be a multiple of "+rule.Of)
	}
}

// listRules judges a list by rules of its own or of its use.
func (j *judgement) listRules(t *ir.List, rules []ir.Rule, v ir.Value) {
	j.rules(t, rules, v)
	if v.Kind == ir.Array && ir.HasRule[*ir.Unique](rules) {
		j.unique(t, v)
	}
}

// unique compares items as JSON values: 1 and 1.0 are one value, and the order of members does not count. What a decoder does
// not keep makes no difference: see [Kept].
func (j *judgement) unique(t *ir.List, v ir.Value) {
	seen := map[string]int{}
	for i, item := range v.Items {
		kept := Kept(t.Elem, item)
		key := kept.Key()
		if first, ok := seen[key]; ok {
			j.fault("uniqueItems", fmt.Sprintf("items %d and %d must differ", first, i))
			return
		}
		seen[key] = i
	}
}

// Equal reports whether two values are one JSON value.
func Equal(a, b ir.Value) bool { return a.Equal(&b) }

func (j *judgement) require(rule *ir.Require, v ir.Value) {
	present := 0
	var missing []string
	for _, name := range rule.Fields {
		if _, ok := v.Get(name); ok {
			present++
		} else {
			missing = append(missing, name)
		}
	}
	switch rule.How {
	case ir.RequireAny:
		if present == 0 {
			j.fault("require", "must have one of "+strings.Join(rule.Fields, ", "))
		}
	case ir.RequireOne:
		if present != 1 {
			j.fault("require", "must have exactly one of "+strings.Join(rule.Fields, ", "))
		}
	case ir.RequireImplies:
		if _, ok := v.Get(rule.Fields[0]); ok && len(missing) > 0 {
			j.fault("require", fmt.Sprintf("must have %s as well as %s", strings.Join(missing, ", "), rule.Fields[0]))
		}
	}
}

// nearestToMultiple reports whether a multiple of of, a positive number, is rounded to the same float64 as text.
func nearestToMultiple(text, of string) bool {
	f, err := strconv.ParseFloat(text, 64)
	step, ok := new(big.Rat).SetString(of)
	if err != nil || !ok {
		return false
	}
	times := new(big.Rat).Quo(new(big.Rat).SetFloat64(f), step)
	floor := new(big.Int).Div(times.Num(), times.Denom())
	for _, n := range []*big.Int{floor, new(big.Int).Add(floor, big.NewInt(1))} {
		if near, _ := new(big.Rat).Mul(new(big.Rat).SetInt(n), step).Float64(); near == f {
			return true
		}
	}
	return false
}
