// Package union appends values of unions with what tells their branches apart. It is for generated code only, and makes no promise of compatibility to
// other code.
//
//test:by ./test/allkinds
package union

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// NoUnion is why a branch has no JSON of its own: its unions do not all write it with the same tag.
func NoUnion(branch string) *wire.EncodeError {
	return &wire.EncodeError{What: "a " + branch + " by itself, whose unions do not all write the same tag: runtime.MarshalUnion writes it as one of " +
		"them, its AppendJSON without a tag"}
}

// MarshalTagged is [wire.Marshal] for an object with the members that tell it apart in its unions, see [AppendTags].
func MarshalTagged(v wire.Appender, tags ...string) (b []byte, err error) {
	defer wire.CatchEncodeError(&err)
	return AppendTags(nil, v.AppendJSON, tags...), nil
}

// AppendTagged appends a struct together with the member that identifies it in a union, if the
// struct has no such member of its own. The argument tag is that member as JSON.
func AppendTagged(b []byte, tag string, appendJSON func([]byte) []byte) []byte {
	b = append(b, '{')
	b = append(b, tag...)
	n := len(b)
	b = appendJSON(b)
	if len(b) == n+len("{}") {
		return append(b[:n], '}')
	}
	b[n] = ','
	return b
}

// AppendTags appends an object together with those members that it lacks of the ones that identify it in its unions. The arguments tags are these
// members as JSON, the outermost union's first.
func AppendTags(b []byte, appendJSON func([]byte) []byte, tags ...string) []byte {
	start := len(b)
	b = appendJSON(b)
	for _, tag := range slices.Backward(tags) {
		if name, _ := wire.Str([]byte(tag), 0); wire.PeekIn(b, start, wire.MaxDepth+1).Has(name) {
			continue
		}
		if string(b[start:]) != "{}" {
			tag += ","
		}
		b = slices.Insert(b, start+1, []byte(tag)...)
	}
	return b
}
