// Package canonical writes JSON values in a form in which equal values have equal texts: numbers of any size and precision are equal by their
// value, and objects without regard to the order of their members.
//
//test:sequential
//test:by ./runtime/gen/wire
package canonical

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Value returns the valid JSON value b in a form in which equal values have equal texts: 1
// equals 1.0, and the order of members does not matter.
func Value(b []byte) string {
	var r wire.Reader
	r.Reset(b, 0, wire.MaxDepth)
	r.SetBudget(len(b)*wire.BudgetFactor*wire.BudgetFactor, nil) // the text was written by this process
	return string(appendCanonical(nil, &r))
}

// appendCanonical appends the canonical form of the value at the cursor. All members of an object are
// kept, also one that is there twice: texts that some reader takes for different values never have
// equal forms.
func appendCanonical(out []byte, r *wire.Reader) []byte {
	switch r.Kind() {
	case wire.Object:
		var all []string // the members, each followed by a comma
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			name, ok := wire.NextMember(r, &o)
			if !ok {
				break
			}
			all = append(all, string(append(appendCanonical(append(wire.AppendString(nil, name), ':'), r), ',')))
		}
		slices.Sort(all)
		out = append(out, '{')
		for _, m := range all {
			out = append(out, m...)
		}
		return append(out, '}')
	case wire.Array:
		out = append(out, '[')
		for a := r.Array(); r.Elem(&a); {
			out = append(appendCanonical(out, r), ',')
		}
		return append(out, ']')
	case wire.NumberKind:
		return append(out, wire.CanonicalNumber(string(r.Number()))...)
	case wire.Text:
		return wire.AppendString(out, r.String())
	}
	return append(out, r.Raw().String()...)
}
