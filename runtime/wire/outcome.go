package wire

import "github.com/rpcgen-go/rpcgen/runtime/rule"

// Outcome is how a pass over a text has ended.
type Outcome uint8

// The outcomes of a pass.
const (
	Decoded     Outcome = iota // nothing is wrong
	Faulty                     // the fast pass met a fault: a collecting pass finds out what all is wrong
	OverBudget                 // decoding would take more memory than there is for the text; see Reader.SetBudget
	Violated                   // the violations hold what is wrong
	Unexplained                // a decoder refused the text without a reason, which is a mistake of that decoder
)

// Outcome returns how the pass has ended whose violations are in vs: what decoding has found and what rules have found after it.
// It is how a text is decoded in up to two passes through the same code:
//
//	r.Reset(text, 0, wire.MaxDepth)
//	decode(&r)
//	if r.Outcome(&vs) == wire.Faulty {
//		vs.Reset()
//		r.Collect(text, 0, wire.MaxDepth, &vs)
//		decode(&r)
//	}
//	switch r.Outcome(&vs) {
func (r *Reader) Outcome(vs *rule.Violations) Outcome {
	switch {
	case !r.failed && vs.Len() == 0:
		return Decoded
	case !r.failed || vs.Len() > 0 && r.collecting():
		return Violated
	case r.spent:
		return OverBudget
	case !r.collecting():
		return Faulty
	}
	return Unexplained
}
