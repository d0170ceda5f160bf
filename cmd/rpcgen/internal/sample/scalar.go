package sample

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
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
		return append(texts(t.Rules), drawn(t, values.For(1), values.FromBytes(nil))...)
	case *ir.Bytes:
		return asTexts(base64s(t.Rules))
	case *ir.Time:
		return asTexts([]string{"2026-01-31T12:00:00Z"})
	case *ir.ID:
		return numbers(nil, "1")
	case *ir.Any:
		if len(t.Rules) > 0 {
			return drawn(t, values.FromBytes(nil), values.For(1))
		}
		return []ir.Value{{Kind: ir.Object}}
	case *ir.Literal:
		return []ir.Value{t.Value}
	case *ir.Enum:
		return listed(t)
	}
	return nil
}

// drawn are values that are made for the JSON Schema of a type, one for each of the choices.
func drawn(t ir.Type, choices ...*values.Choices) (all []ir.Value) {
	schema, err := jsonschema.ExportType(&ir.Document{}, t, jsonschema.Options{Exact: true})
	if err != nil {
		return nil
	}
	s, err := values.Compile(schema)
	if err != nil {
		return nil
	}
	s.Profile = values.ASCII
	for _, c := range choices {
		if made, ok := s.Minimal(c); ok {
			if v, err := ir.ParseJSON(made); err == nil {
				all = append(all, v)
			}
		}
	}
	return all
}

// texts are a word and the samples of the formats of a string.
func texts(rules []ir.Rule) []ir.Value {
	all := []string{"text"}
	for _, r := range rules {
		if f, ok := r.(*ir.Format); ok {
			if format, ok := ir.FormatNamed(f.Name); ok {
				all = append(all, format.Sample)
			}
		}
	}
	return asTexts(all)
}

// listed are the values of an enum; the ones that should still be used come first.
func listed(t *ir.Enum) []ir.Value {
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
