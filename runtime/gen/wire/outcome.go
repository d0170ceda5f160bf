package wire

import "github.com/rpcgen-go/rpcgen/runtime/gen/violation"

// Outcome is the result of a pass over a text.
type Outcome uint8

// The outcomes of a pass.
const (
	Decoded     Outcome = iota // no fault
	Faulty                     // the fast pass met a fault: a collecting pass has to find all of them
	OverBudget                 // decoding would allocate more than the budget, see Reader.SetBudget
	Violated                   // the violations say what is wrong
	Unexplained                // a decoder rejected the text without a violation, which is a defect of that decoder
)

// Outcome returns the result of the pass whose violations, of decoding and of the rules checked after it, are in vs.
// A text is decoded in up to two passes through the same code:
//
//	r.Reset(text, 0, wire.MaxDepth)
//	decode(&r)
//	if r.Outcome(&vs) == wire.Faulty {
//		vs.Reset()
//		r.Collect(text, 0, wire.MaxDepth, &vs)
//		decode(&r)
//	}
//	switch r.Outcome(&vs) {
func (r *Reader) Outcome(vs *violation.List) Outcome {
	switch {
	case !r.failed && vs.Len() == 0:
		return Decoded
	case !r.failed || vs.Len() > 0 && isCollecting(r):
		return Violated
	case r.spent:
		return OverBudget
	case !isCollecting(r):
		return Faulty
	}
	return Unexplained
}
