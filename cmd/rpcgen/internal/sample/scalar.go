package sample

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// scalar is the first of the candidates for a type that fits it.
func scalar(t ir.Type) (ir.Value, bool) {
	for _, v := range candidates(t) {
		if fits(t, v) {
			return v, true
		}
	}
	return ir.Value{}, false
}

func candidates(t ir.Type) []ir.Value {
	switch t := t.(type) {
	case *ir.Bool:
		return []ir.Value{{Kind: ir.Boolean, Text: "true"}}
	case *ir.Int:
		return numbers(t.Rules, "1")
	case *ir.Float:
		return numbers(t.Rules, "1.5", "0.5", "1")
	case *ir.Decimal:
		return numbers(t.Rules, "19.99", "1")
	case *ir.String:
		return asTexts(texts(t.Rules))
	case *ir.Bytes:
		return asTexts(base64s(t.Rules))
	case *ir.Time:
		return asTexts([]string{"2026-01-31T12:00:00Z"})
	case *ir.ID:
		return numbers(nil, "1")
	case *ir.Any:
		return conforming(t.Rules)
	case *ir.Literal:
		return []ir.Value{t.Value}
	case *ir.Enum:
		return values(t)
	}
	return nil
}

// anything are values of every kind, of which some schema may take one.
func anything() []ir.Value {
	return []ir.Value{{Kind: ir.Object}, {Kind: ir.Text, Text: "text"}, ir.NumberValue("1"), ir.NumberValue("0"), {Kind: ir.Array}, {Kind: ir.Boolean, Text: "true"}, {Kind: ir.Null, Text: "null"}}
}

// values are those of an enum; the ones that should still be used come first.
func values(t *ir.Enum) []ir.Value {
	var all, old []ir.Value
	for _, v := range t.Values {
		if v.Deprecated == nil {
			all = append(all, v.Value)
		} else {
			old = append(old, v.Value)
		}
	}
	return append(all, old...)
}

func asTexts(all []string) []ir.Value {
	values := make([]ir.Value, len(all))
	for i, s := range all {
		values[i] = ir.Value{Kind: ir.Text, Text: s}
	}
	return values
}

// numbers are the preferred ones and those near every bound and step of the rules.
func numbers(rules []ir.Rule, preferred ...string) []ir.Value {
	all := preferred
	var bounds, steps []*big.Rat
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Range:
			bounds = append(bounds, rational(r.Min)...)
			bounds = append(bounds, rational(r.Max)...)
		case *ir.MultipleOf:
			steps = append(steps, rational(r.Of)...)
		}
	}
	whole := big.NewRat(1, 1)
	for _, bound := range bounds {
		all = append(all, decimal(bound))
		all = append(all, around(bound, whole)...)
		for _, step := range steps {
			all = append(all, around(bound, step)...)
		}
	}
	for _, step := range steps {
		all = append(all, decimal(step), decimal(new(big.Rat).SetInt(step.Num())))
	}
	all = append(all, "0")
	found := make([]ir.Value, len(all))
	for i, text := range all {
		found[i] = ir.NumberValue(text)
	}
	return found
}

// rational reads a number; one with an exponent that would fill the memory is left out.
func rational(text string) []*big.Rat {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > 60 || n < -60 {
			return nil
		}
	}
	if r, ok := new(big.Rat).SetString(text); ok {
		return []*big.Rat{r}
	}
	return nil
}

// around are the multiples of step next to a bound.
func around(bound, step *big.Rat) []string {
	ratio := new(big.Rat).Quo(bound, step)
	below := new(big.Int).Div(ratio.Num(), ratio.Denom())
	var all []string
	for _, n := range []int64{0, 1, 2, -1} {
		multiple := new(big.Rat).SetInt(new(big.Int).Add(below, big.NewInt(n)))
		all = append(all, decimal(multiple.Mul(multiple, step)))
	}
	return all
}

// decimal writes a number without an exponent.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(60), "0")
}

// base64s are texts of the lengths that base64 can have, within the rules.
func base64s(rules []ir.Rule) []string {
	all := []string{"aGVsbG8=", "aGk=", ""}
	for _, r := range rules {
		if l, ok := r.(*ir.Length); ok && l.Min < most {
			all = append(all, strings.Repeat("AAAA", (l.Min+3)/4))
		}
	}
	return all
}
