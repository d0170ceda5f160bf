package protocol

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Quote returns s as a JSON string.
func Quote(s string) string { return string(wire.AppendString(nil, s)) }

// Object skips an object and returns its text, see [wire.Reader.Text]. If the value is not an object,
// it reports that to r and returns nil.
func Object(r *wire.Reader) []byte { return object(r, (*wire.Reader).Text) }

// ObjectOnce is [Object] by [wire.TextOnce], for an object that is read in parts.
func ObjectOnce(r *wire.Reader) []byte { return object(r, wire.TextOnce) }

func object(r *wire.Reader, text func(*wire.Reader) []byte) []byte {
	if r.Kind() != wire.Object {
		r.Object(new(wire.Members)) // reports it
		return nil
	}
	return text(r)
}
