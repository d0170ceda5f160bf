package runtime

import (
	"bytes"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// MarshalUnion returns the JSON text of a value of a union, as messages have it: with what tells the branch apart. An interface can have no method for
// encoding/json, so that the function of the union is an argument: MarshalUnion(pet, rpc.AppendPet).
func MarshalUnion[T any](v T, appendJSON func([]byte, T) []byte) (b []byte, err error) {
	defer wire.CatchEncodeError(&err)
	return appendJSON(nil, v), nil
}

// UnmarshalUnion reads a value of a union, as strictly as messages are read: UnmarshalUnion(text, rpc.DecodePet, rpc.CheckPet). The errors are those of
// UnmarshalJSON of other types. A nil check means that there are no rules.
func UnmarshalUnion[T any](b []byte, decode func(*wire.Reader) T, check func(*Violations, T)) (v T, err error) {
	err = wire.Unmarshal(bytes.Clone(b), func(r *wire.Reader) { v = decode(r) }, func(vs *Violations) {
		if check != nil {
			check(vs, v)
		}
	})
	if err != nil {
		v = *new(T)
	}
	return v, err
}
