package protocol

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Capabilities are the capabilities that a client or server has declared, as JSON. Nil declares
// none.
type Capabilities []byte

// Has reports whether the member at the path is present, such as "sampling", "tools".
func (c Capabilities) Has(path ...string) bool {
	p := wire.PeekAt(c)
	for _, name := range path {
		p = p.In(name)
	}
	return p.Kind() != wire.Invalid
}

// JSON returns the capabilities. It is an empty object if they are not valid JSON.
func (c Capabilities) JSON() wire.Raw {
	raw, err := wire.ParseRaw(c)
	if err != nil {
		raw, _ = wire.ParseRaw([]byte("{}"))
	}
	return raw
}
