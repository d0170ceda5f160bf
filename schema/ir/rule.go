package ir

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/notation"
)

// Rule is a constraint on a value, and what every part of the compiler knows of it. Package judge knows it by itself: it is the second opinion. The kinds are the
// types of this file that embed RuleAt; there are no others.
type Rule interface {
	Position() diag.Pos
	// Kind is the name of the kind.
	Kind() string
	// Words tell readers what a value has to keep; part is what a count counts.
	Words(part string) notation.Line
	// Refuses says which values break the rule; empty if that depends on more than the rule.
	Refuses() string
	// Keyword is the keyword of JSON Schema, with its value; empty if more than one keyword says it, or none.
	Keyword() (string, Value)
	// Check is the function of runtime/gen/rule that takes nothing but a text; empty if there is none.
	Check() string

	describe() string
	impliedBy(have Rule) bool
}

// RuleAt is where a rule was written.
type RuleAt struct{ Pos diag.Pos }

// Position returns where the rule was written.
func (a *RuleAt) Position() diag.Pos { return a.Pos }

// A rule says this unless it says something else.
func (*RuleAt) Refuses() string          { return "" }
func (*RuleAt) Keyword() (string, Value) { return "", Value{} }
func (*RuleAt) Check() string            { return "" }
func (*RuleAt) impliedBy(Rule) bool      { return false }

// Length bounds a string, in code points. A negative Max is not a bound.
type Length struct {
	RuleAt
	Min, Max int
}

func (r *Length) Kind() string { return "length" }
func (r *Length) Words(string) notation.Line {
	return notation.Text(notation.Count(r.Min, r.Max, "character"))
}
func (r *Length) describe() string { return "length " + span(r.Min, r.Max) }

func (r *Length) impliedBy(have Rule) bool {
	h, ok := have.(*Length)
	return ok && within(h.Min, h.Max, r.Min, r.Max)
}

// Range bounds a number. An empty bound is none; bounds are JSON number texts, so that none is rounded.
type Range struct {
	RuleAt
	Min, Max                   string
	ExclusiveMin, ExclusiveMax bool
}

func (r *Range) Kind() string { return "range" }
func (r *Range) Words(string) notation.Line {
	return notation.Text(notation.Range{Min: r.Min, Max: r.Max, ExclusiveMin: r.ExclusiveMin, ExclusiveMax: r.ExclusiveMax}.String())
}

func (r *Range) describe() string {
	return "range " + bracket(r.ExclusiveMin, "(", "[") + r.Min + ".." + r.Max + bracket(r.ExclusiveMax, ")", "]")
}

func (r *Range) impliedBy(have Rule) bool {
	h, ok := have.(*Range)
	return ok && stricter(h.Min, h.ExclusiveMin, r.Min, r.ExclusiveMin, 1) && stricter(h.Max, h.ExclusiveMax, r.Max, r.ExclusiveMax, -1)
}

// MultipleOf requires a number to be a whole multiple of Of, a positive JSON number text.
type MultipleOf struct {
	RuleAt
	Of string
}

func (r *MultipleOf) Kind() string               { return "multipleOf" }
func (r *MultipleOf) Words(string) notation.Line { return notation.Text(notation.MultipleOf(r.Of)) }
func (r *MultipleOf) Refuses() string            { return "numbers that are not multiples of " + r.Of }
func (r *MultipleOf) Keyword() (string, Value)   { return "multipleOf", NumberValue(r.Of) }
func (r *MultipleOf) describe() string           { return "multiple of " + r.Of }

func (r *MultipleOf) impliedBy(have Rule) bool {
	h, ok := have.(*MultipleOf)
	return ok && multiple(h.Of, r.Of)
}

// Pattern is a regular expression (RE2) that a string must contain a match of.
type Pattern struct {
	RuleAt
	Expr string
}

func (r *Pattern) Kind() string               { return "pattern" }
func (r *Pattern) Words(string) notation.Line { return notation.Matches(r.Expr) }
func (r *Pattern) Refuses() string            { return "texts without a match of " + r.Expr }
func (r *Pattern) Keyword() (string, Value)   { return "pattern", Value{Kind: Text, Text: r.Expr} }
func (r *Pattern) describe() string           { return "pattern " + strconv.Quote(r.Expr) }

// Format names a syntax that a string must have, see [Formats].
type Format struct {
	RuleAt
	Name string
}

func (r *Format) Kind() string             { return "format" }
func (r *Format) Refuses() string          { return "texts that are not " + r.Name }
func (r *Format) Keyword() (string, Value) { return "format", Value{Kind: Text, Text: r.Name} }
func (r *Format) Check() string            { return FormatNamed(r.Name).Check }
func (r *Format) describe() string         { return "format " + r.Name }
func (r *Format) Words(string) notation.Line {
	if f := FormatNamed(r.Name); f.Name != "" {
		return notation.Text(f.Words)
	}
	return notation.Text("format " + r.Name)
}

// Count bounds the elements of a list or the members of an object. A negative Max is not a bound.
type Count struct {
	RuleAt
	Min, Max int
}

func (r *Count) Kind() string { return "count" }
func (r *Count) Words(part string) notation.Line {
	return notation.Text(notation.Count(r.Min, r.Max, part))
}
func (r *Count) describe() string { return "count " + span(r.Min, r.Max) }

func (r *Count) impliedBy(have Rule) bool {
	h, ok := have.(*Count)
	return ok && within(h.Min, h.Max, r.Min, r.Max)
}

// Conform requires a value of type Any, String, List, Map or Struct, or of a union by context, to fit a JSON Schema (draft 2020-12), as far as the type keeps
// it.
type Conform struct {
	RuleAt
	Schema Value
}

func (r *Conform) Kind() string     { return "schema" }
func (r *Conform) describe() string { return "schema " + r.Schema.String() }

// Words leave out the end of a long schema.
func (r *Conform) Words(string) notation.Line {
	const longest = 2000 // bytes
	schema := r.Schema.String()
	if len(schema) > longest {
		schema = strings.ToValidUTF8(schema[:longest], "") + "..."
	}
	return append(notation.Text("fits "), notation.Code(schema)...)
}

// Unique requires the elements of a list to differ, compared as JSON values.
type Unique struct{ RuleAt }

func (r *Unique) Kind() string               { return "uniqueItems" }
func (r *Unique) Words(string) notation.Line { return notation.Text(notation.Unique) }
func (r *Unique) Refuses() string            { return "lists with equal elements" }
func (r *Unique) Keyword() (string, Value)   { return "uniqueItems", Value{Kind: Boolean, Text: "true"} }
func (r *Unique) describe() string           { return "unique" }

// Require relates the presence of fields of one object.
type Require struct {
	RuleAt
	How    RequireHow
	Fields []string // RequireImplies: the first implies the others
	Text   string   // as written, such as "a | b"
}

func (r *Require) Kind() string     { return "require" }
func (r *Require) Refuses() string  { return "objects against " + r.Text }
func (r *Require) describe() string { return "require " + r.Text }

func (r *Require) Words(string) notation.Line {
	before, names := notation.Text("at least one of "), r.Fields
	switch r.How {
	case RequireOne:
		before = notation.Text("exactly one of ")
	case RequireImplies:
		before, names = append(notation.Code(names[0]), notation.Text(" only together with ")...), names[1:]
	}
	for i, name := range names {
		if i > 0 {
			before = append(before, notation.Text(", ")...)
		}
		before = append(before, notation.Code(name)...)
	}
	return before
}

// RequireHow is the relation of a Require.
type RequireHow uint8

// The relations.
const (
	RequireAny     RequireHow = iota // a | b: at least one
	RequireOne                       // a ^ b: exactly one
	RequireImplies                   // a -> b: if a then b
)
