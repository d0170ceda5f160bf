package protocol

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// Capabilities are what a client or a server has declared that it can do, as JSON; nil declares nothing.
type Capabilities []byte

// Has reports whether there is the member at the path, such as "sampling", "tools".
func (c Capabilities) Has(path ...string) bool {
	p := wire.PeekAt(c)
	for _, name := range path {
		p = p.In(name)
	}
	return p.Kind() != wire.Invalid
}

// JSON returns all of the capabilities: an empty object if they are not valid.
func (c Capabilities) JSON() wire.Raw {
	raw, err := wire.ParseRaw(c)
	if err != nil {
		raw, _ = wire.ParseRaw([]byte("{}"))
	}
	return raw
}
