package ir

import "github.com/rpcgen-go/rpcgen/schema/diag"

// Rule is a constraint on a value. The kinds are the types of this file that embed RuleAt; there are no others.
type Rule interface {
	Position() diag.Pos
	isRule()
}

// RuleAt is where a rule was written.
type RuleAt struct{ Pos diag.Pos }

// Position returns where the rule was written.
func (a RuleAt) Position() diag.Pos { return a.Pos }
func (RuleAt) isRule()              {}

type (
	// Length bounds a string, in code points. A negative Max is not a bound.
	Length struct {
		RuleAt
		Min, Max int
	}

	// Range bounds a number. An empty bound is none; bounds are JSON number texts, so that none is rounded.
	Range struct {
		RuleAt
		Min, Max                   string
		ExclusiveMin, ExclusiveMax bool
	}

	// MultipleOf requires a number to be a whole multiple of Of, a positive JSON number text.
	MultipleOf struct {
		RuleAt
		Of string
	}

	// Pattern is a regular expression (RE2) that a string must contain a match of.
	Pattern struct {
		RuleAt
		Expr string
	}

	// Format names a syntax that a string must have: uri, uri-template, email, uuid, date, duration.
	Format struct {
		RuleAt
		Name string
	}

	// Count bounds the elements of a list or the members of an object. A negative Max is not a bound.
	Count struct {
		RuleAt
		Min, Max int
	}

	// Conform requires a value of type Any, String, List, Map or Struct, or of a union by context, to fit a JSON Schema (draft 2020-12), as far as the type keeps
	// it.
	Conform struct {
		RuleAt
		Schema Value
	}

	// Unique requires the elements of a list to differ, compared as JSON values.
	Unique struct{ RuleAt }

	// Require relates the presence of fields of one object.
	Require struct {
		RuleAt
		How    RequireHow
		Fields []string // RequireImplies: the first implies the others
		Text   string   // as written, such as "a | b"
	}
)

// RequireHow is the relation of a Require.
type RequireHow uint8

// The relations.
const (
	RequireAny     RequireHow = iota // a | b: at least one
	RequireOne                       // a ^ b: exactly one
	RequireImplies                   // a -> b: if a then b
)
