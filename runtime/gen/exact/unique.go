package exact

import (
	"hash/maphash"

	"github.com/rpcgen-go/rpcgen/runtime/gen/distinct"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
)

// Unique checks that the elements of s differ as JSON values: 1 equals 1.0, and the order of
// members does not matter. An element that cannot be written, such as a nil union, is reported at
// its pointer, and the list is not compared then. The time is proportional to the length of the
// JSON of s, the memory to the number of elements.
func Unique[T any](vs *rule.Violations, at string, s []T, appendJSON func([]byte, T) []byte) {
	var unwritable error
	defer wire.CatchEncodeError(&unwritable)
	h := hasher{seed: maphash.MakeSeed()}
	var d distinct.Set
	var text []byte
	for i, v := range s {
		text = appendJSON(text[:0], v)
		same := func(j int) bool {
			return canonical.Value(appendJSON(nil, s[j])) == canonical.Value(text)
		}
		if j, found := d.Add(h.hash(text), i, same); found {
			distinct.Same(vs, at, j, i)
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
