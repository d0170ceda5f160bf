package sample

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// scalar is the first of the candidates for a type that fits it, or a value that is drawn for its JSON Schema.
func scalar(t ir.Type) (ir.Value, bool) {
	for _, v := range candidates(t) {
		if fits(t, v) {
			return v, true
		}
	}
	schema, err := jsonschema.ExportType(&ir.Document{}, t, jsonschema.Options{Exact: true})
	if err != nil {
		return ir.Value{}, false
	}
	s, err := values.Compile(schema)
	if err != nil {
		return ir.Value{}, false
	}
	s.Profile = values.ASCII
	for _, choices := range []*values.Choices{values.For(1), values.FromBytes(nil)} {
		made, _ := s.Minimal(choices)
		if v, err := ir.ParseJSON(made); err == nil && fits(t, v) {
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
		return texts(t.Rules)
	case *ir.Bytes:
		return asTexts(base64s(t.Rules))
	case *ir.Time:
		return asTexts([]string{"2026-01-31T12:00:00Z"})
	case *ir.ID:
		return numbers(nil, "1")
	case *ir.Any:
		return []ir.Value{{Kind: ir.Object}}
	case *ir.Literal:
		return []ir.Value{t.Value}
	case *ir.Enum:
		return listed(t)
	}
	return nil
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

// numbers are the preferred ones, and the bounds and steps of the rules.
func numbers(rules []ir.Rule, preferred ...string) (all []ir.Value) {
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Range:
			preferred = append(preferred, r.Min, r.Max)
		case *ir.MultipleOf:
			preferred = append(preferred, r.Of)
		}
	}
	for _, text := range append(preferred, "0") {
		if text != "" {
			all = append(all, ir.NumberValue(text))
		}
	}
	return all
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
