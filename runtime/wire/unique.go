package wire

import (
	"hash/maphash"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// Unique asks the elements of s to differ, compared as JSON values: 1 is 1.0, and the order of members does not count.
// Elements that cannot be written, such as a nil union, are reported where they are; nothing is said of the list then. It takes time
// in proportion to the JSON of s, and memory in proportion to the number of its elements.
func Unique[T any](vs *rule.Violations, at string, s []T, appendJSON func([]byte, T) []byte) {
	var unwritable error
	defer CatchEncodeError(&unwritable)
	h := hasher{seed: maphash.MakeSeed()}
	var d rule.Distinct
	var text []byte
	for i, v := range s {
		text = appendJSON(text[:0], v)
		same := func(j int) bool {
			return canonical(appendJSON(nil, s[j])) == canonical(text)
		}
		if j, found := d.Add(h.hash(text), i, same); found {
			rule.Same(vs, at, j, i)
			return
		}
	}
}

// hasher computes hashes of JSON values that are equal for equal values.
type hasher struct{ seed maphash.Seed }

func (h *hasher) hash(b []byte) uint64 {
	var r Reader
	r.Reset(b, 0, MaxDepth)
	return h.value(&r)
}

// value hashes the value at the cursor. The hashes of members are added up, since their order does not count.
func (h *hasher) value(r *Reader) uint64 {
	switch r.Kind() {
	case Object:
		sum := uint64(Object)
		var o Members
		for r.Object(&o); r.More(&o); {
			name, ok := r.other(&o)
			if !ok {
				break
			}
			member := maphash.String(h.seed, name)
			sum += h.join(member, h.value(r))
		}
		return h.join(sum, uint64(Object))
	case Array:
		sum := uint64(Array)
		for a := r.Array(); r.Elem(&a); {
			sum = h.join(sum, h.value(r))
		}
		return sum
	case NumberKind:
		return maphash.String(h.seed, rule.CanonicalDecimal(string(r.Number())))
	case Text:
		return h.join(uint64(Text), maphash.String(h.seed, r.String()))
	}
	return maphash.String(h.seed, r.Raw().String())
}

// join hashes two hashes, whose order counts.
func (h *hasher) join(a, b uint64) uint64 {
	return maphash.Comparable(h.seed, [2]uint64{a, b})
}

// canonical writes the valid JSON value b such that equal values are equal texts.
func canonical(b []byte) string {
	var r Reader
	r.Reset(b, 0, MaxDepth)
	r.SetBudget(len(b)*BudgetFactor*BudgetFactor, nil) // the text is our own
	return string(appendCanonical(nil, &r))
}

func appendCanonical(out []byte, r *Reader) []byte {
	switch r.Kind() {
	case Object:
		m := Map(r, (*Reader).Raw)
		names := make([]string, 0, len(m))
		for name := range m {
			names = append(names, name)
		}
		slices.Sort(names)
		out = append(out, '{')
		for _, name := range names {
			out = append(AppendString(out, name), ':')
			out = append(out, canonical(bytesOf(m[name].String()))...)
			out = append(out, ',')
		}
		return append(out, '}')
	case Array:
		out = append(out, '[')
		for a := r.Array(); r.Elem(&a); {
			out = append(appendCanonical(out, r), ',')
		}
		return append(out, ']')
	case NumberKind:
		return append(out, rule.CanonicalDecimal(string(r.Number()))...)
	case Text:
		return AppendString(out, r.String())
	}
	return append(out, r.Raw().String()...)
}
