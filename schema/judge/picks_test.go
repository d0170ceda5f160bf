package judge_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestPicks follows decisions for types that fit one of their ways, several, or none.
func TestPicks(t *testing.T) {
	a, b := &ir.Branch{Name: "a"}, &ir.Branch{Name: "b"}
	tag := func(text string) *ir.Literal { return &ir.Literal{Value: ir.Value{Kind: ir.Text, Text: text}} }
	object := func(additional ir.Additional, fields ...*ir.Field) *ir.Struct {
		return &ir.Struct{Additional: additional, Fields: fields}
	}
	byTag := &ir.ByProperty{Property: "kind", Cases: []ir.Case{{Tag: tag("a").Value, Then: &ir.Pick{Branch: a}}}, Absent: &ir.Pick{Branch: b}}
	byElse := &ir.ByProperty{Property: "kind", Cases: byTag.Cases, Else: &ir.Pick{Branch: b}}
	byPresence := &ir.ByPresence{Cases: []ir.PresenceCase{{Property: "x", Then: &ir.Pick{Branch: a}}}, Else: &ir.Pick{Branch: b}}
	byLength := &ir.ByLength{Cases: []ir.LengthCase{{Min: 0, Max: 1, Then: &ir.Pick{Branch: a}}, {Min: 2, Max: 3, Then: &ir.Pick{Branch: b}}}}
	byKind := &ir.ByKind{Cases: []ir.KindCase{{Kind: ir.Number, Then: &ir.Pick{Branch: a}}, {Kind: ir.Null, Then: &ir.Pick{Branch: b}}}}
	list := func(low, high int) ir.Type {
		return &ir.List{Elem: &ir.Any{}, Rules: []ir.Rule{&ir.Count{Min: low, Max: high}}}
	}
	for name, test := range map[string]struct {
		decision ir.Decision
		of       ir.Type
		want     string
	}{
		"the tag":                 {byTag, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: tag("a")}), "a"},
		"the tag, optional":       {byTag, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: tag("a"), Optional: true}), "ab"},
		"another tag":             {byTag, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: tag("z")}), "-"},
		"no tag, closed":          {byTag, object(ir.AdditionalRejected), "b"},
		"no tag, open":            {byTag, object(ir.AdditionalIgnored), "ab-"},
		"text":                    {byElse, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: &ir.String{}}), "ab"},
		"text that is not a tag":  {byElse, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: &ir.String{Rules: []ir.Rule{&ir.Pattern{Expr: "^x"}}}}), "b"},
		"a number":                {byElse, object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: &ir.Int{Bits: 64}}), "b"},
		"a map of text":           {byElse, &ir.Map{Elem: &ir.String{}}, "ab-"},
		"present":                 {byPresence, object(ir.AdditionalIgnored, &ir.Field{Name: "x", Type: &ir.Any{}}), "a"},
		"perhaps present":         {byPresence, object(ir.AdditionalIgnored), "ab"},
		"never present":           {byPresence, object(ir.AdditionalRejected), "b"},
		"no object":               {byPresence, &ir.String{}, "-"},
		"short":                   {byLength, list(0, 1), "a"},
		"either":                  {byLength, list(1, 2), "ab"},
		"too long":                {byLength, list(2, -1), "b-"},
		"a number that is whole":  {byKind, &ir.Int{Bits: 64}, "a"},
		"a number, or null":       {byKind, &ir.Nullable{Elem: &ir.Float{}}, "ab"},
		"text, told by its kind":  {byKind, &ir.String{}, "-"},
		"no decoder can tell":     {&ir.ByContext{}, &ir.String{}, "-"},
		"a union of both, by tag": {byTag, &ir.Union{Branches: []*ir.Branch{{Type: object(ir.AdditionalRejected)}, {Type: object(ir.AdditionalIgnored, &ir.Field{Name: "kind", Type: tag("a")})}}}, "ab"},
	} {
		branches, refused := judge.Picks(test.decision, test.of)
		got := ""
		for _, one := range []*ir.Branch{a, b} {
			for _, reached := range branches {
				if reached == one {
					got += one.Name
				}
			}
		}
		if refused {
			got += "-"
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
