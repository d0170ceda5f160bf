package exact

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Unique checks that the elements of s differ as JSON values: 1 equals 1.0, and the order of
// members does not matter. An element that cannot be written, such as a nil union, is reported at
// its pointer, and the list is not compared then. The time is proportional to the length of the
// JSON of s, the memory to the number of elements.
func Unique[T any](vs *rule.Violations, at string, s []T, appendJSON func([]byte, T) []byte) {
	var unwritable error
	defer wire.CatchEncodeError(&unwritable)
	h := hasher{seed: maphash.MakeSeed()}
	var d rule.Distinct
	var text []byte
	for i, v := range s {
		text = appendJSON(text[:0], v)
		same := func(j int) bool {
			return Canonical(appendJSON(nil, s[j])) == Canonical(text)
		}
		if j, found := d.Add(h.hash(text), i, same); found {
			rule.Same(vs, at, j, i)
			return
		}
	}
}

// hasher computes hashes of JSON values. Equal values have equal hashes.
type hasher struct{ seed maphash.Seed }

func (h *hasher) hash(b []byte) uint64 {
	var r wire.Reader
	r.Reset(b, 0, wire.MaxDepth)
	return h.value(&r)
}

// value hashes the value at the cursor. The hashes of members are added, because their order does
// not matter.
func (h *hasher) value(r *wire.Reader) uint64 {
	switch r.Kind() {
	case wire.Object:
		sum := uint64(wire.Object)
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			name, ok := wire.NextMember(r, &o)
			if !ok {
				break
			}
			member := maphash.String(h.seed, name)
			sum += h.join(member, h.value(r))
		}
		return h.join(sum, uint64(wire.Object))
	case wire.Array:
		sum := uint64(wire.Array)
		for a := r.Array(); r.Elem(&a); {
			sum = h.join(sum, h.value(r))
		}
		return sum
	case wire.NumberKind:
		return HashDecimal(h.seed, string(r.Number()))
	case wire.Text:
		return h.join(uint64(wire.Text), maphash.String(h.seed, r.String()))
	}
	return maphash.String(h.seed, r.Raw().String())
}

// join hashes two hashes. Their order matters.
func (h *hasher) join(a, b uint64) uint64 {
	return maphash.Comparable(h.seed, [2]uint64{a, b})
}

// Canonical returns the valid JSON value b in a form in which equal values have equal texts: 1
// equals 1.0, and the order of members does not matter.
func Canonical(b []byte) string {
	var r wire.Reader
	r.Reset(b, 0, wire.MaxDepth)
	r.SetBudget(len(b)*wire.BudgetFactor*wire.BudgetFactor, nil) // the text was written by this process
	return string(appendCanonical(nil, &r))
}

// named is a member of an object with its canonical value.
type named struct{ name, value string }

// appendCanonical appends the canonical form of the value at the cursor. All members of an object are
// kept, also one that is there twice: texts that some reader takes for different values never have
// equal forms.
func appendCanonical(out []byte, r *wire.Reader) []byte {
	switch r.Kind() {
	case wire.Object:
		var all []named
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			name, ok := wire.NextMember(r, &o)
			if !ok {
				break
			}
			all = append(all, named{name, string(appendCanonical(nil, r))})
		}
		slices.SortFunc(all, func(a, b named) int {
			return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.value, b.value))
		})
		out = append(out, '{')
		for _, m := range all {
			out = append(wire.AppendString(out, m.name), ':')
			out = append(append(out, m.value...), ',')
		}
		return append(out, '}')
	case wire.Array:
		out = append(out, '[')
		for a := r.Array(); r.Elem(&a); {
			out = append(appendCanonical(out, r), ',')
		}
		return append(out, ']')
	case wire.NumberKind:
		return append(out, CanonicalDecimal(string(r.Number()))...)
	case wire.Text:
		return wire.AppendString(out, r.String())
	}
	return append(out, r.Raw().String()...)
}
