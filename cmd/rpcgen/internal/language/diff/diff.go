// Package diff compares two versions of a schema: what changed, where, and whom it concerns.
//
// Every change is judged on four aspects. On the wire the question is whether what one side sends is still accepted by the other when only one of them has
// moved on; it is asked for each direction in which the changed type travels. In Go the question is whether callers and implementers of the generated code
// still compile; in TypeScript it is the same for programs that use the generated types and calls. The model aspect is what a language model was told: the
// names, the words and the inputs of what it calls.
//
// A shared type is compared once, where it is declared. The order is not a change, except for positional params.
//
//test:sequential
package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Verdict says how bad a change is on one aspect.
type Verdict uint8

// The verdicts, from harmless to bad.
const (
	NotApplicable Verdict = iota // the aspect is not there
	OK
	Warning
	Break
)

// String gives the word that is printed.
func (v Verdict) String() string { return [...]string{"n/a", "ok", "warning", "break"}[v] }

// Judgement is a verdict and its reason, one sentence.
type Judgement struct {
	Verdict Verdict
	Reason  string
}

// Direction judges a change for what one side sends. Received is what an old sender sends to a new receiver; Sent is what a
// new sender sends to an old receiver.
type Direction struct {
	Sender   ir.Side // FromBoth: no message carries the change
	Received Judgement
	Sent     Judgement
}

// Change is one difference between two schemas.
type Change struct {
	ID       string // kind and path: the same in every run, to allow a change by
	Kind     Kind
	Path     string   // of the changed part, such as types/Report/wind
	Old, New diag.Pos // the position on either side; not valid where the part is not there
	Was, Is  string   // what it was and is, in the words of the schema; either may be empty
	Text     string   // the change as a sentence without its path
	Uses     []string // where a shared type is used, such as "params of tools/call"
	Wire     []Direction
	Go       Judgement
	Script   Judgement // in TypeScript
	Model    Judgement
}

// OnWire is the worst judgement of any direction.
func (c *Change) OnWire() Judgement {
	worst := Judgement{}
	for _, d := range c.Wire {
		for _, j := range []Judgement{d.Received, d.Sent} {
			if j.Verdict > worst.Verdict {
				worst = j
			}
		}
	}
	return worst
}

// On returns the judgement of one aspect.
func (c *Change) On(s Aspect) Judgement {
	switch s {
	case Wire:
		return c.OnWire()
	case Go:
		return c.Go
	case TypeScript:
		return c.Script
	}
	return c.Model
}

// Worst is the worst verdict of any aspect.
func (c *Change) Worst() Verdict {
	return max(c.OnWire().Verdict, c.Go.Verdict, c.Script.Verdict, c.Model.Verdict)
}

// Aspect is where a change may hurt.
type Aspect uint8

// The aspects.
const (
	Wire Aspect = iota
	Go
	TypeScript
	Model
)

// Aspects lists the aspects in the order in which they are shown.
var Aspects = []Aspect{Wire, Go, TypeScript, Model}

// String gives the word that is printed.
func (s Aspect) String() string { return [...]string{"wire", "go", "typescript", "model"}[s] }

// Report is everything that changed: the document, then methods, tools, resources, prompts, errors and types, each in the order of the new schema, what is
// gone first.
type Report struct {
	Old, New *ir.Document
	Changes  []*Change
}

// Names returns what the parts of a document are called in Go, and how they are held.
type Names interface {
	Package() string
	Declared(d *ir.Decl) string               // identifier of a declaration; empty if it has no Go type
	Under(d *ir.Decl) string                  // what the Go type of a declaration is, such as string
	Type(t ir.Type) string                    // how a value is held
	Field(f *ir.Field) (name, held string)    // both empty if there is no Go field
	Tags(d *ir.Decl, b *ir.Branch) string     // what json.Marshal adds to a type or an inline branch; empty if that has no such methods
	Value(v *ir.EnumValue) string             // name of a constant
	Method(m *ir.Method) string               // name of a Go method
	Error(e *ir.Error) (typ, constant string) // names of the Go type and of the constant of the code; no constant: it is of a tool
	Tool(t *ir.Tool) string                   // name of a Go method
	Resource(r *ir.Resource) string           // name of the Go method that reads it
	Prompt(p *ir.Prompt) string               // name of a Go method
	Ask(a *ir.Ask) (name, held string)        // Go function of a question, and the type of what its message speaks of; both may be empty
}

// Compare compares two schemas and what they import. The names of each document are asked for once.
func Compare(before, after *ir.Document, names func(*ir.Document) Names) *Report {
	pairing := newPairing(before, after)
	c := &recorder{traffic: newTraffic(pairing), pairing: pairing, models: forModels(before) || forModels(after), opened: map[[2]*ir.Decl]bool{},
		defined: map[string]bool{}}
	for _, p := range pairing.pairs {
		if !p.module { // a module is of the compiler, which is one
			newComparer(c, p, names).documents()
		}
	}
	r := &Report{Old: before, New: after, Changes: c.changes}
	r.number()
	return r
}

// number gives every change an ID of its own.
func (r *Report) number() {
	seen := map[string]int{}
	for _, c := range r.Changes {
		c.ID = string(c.Kind) + ":" + c.Path
		if seen[c.ID]++; seen[c.ID] > 1 {
			c.ID += "#" + digits(seen[c.ID])
		}
	}
}
