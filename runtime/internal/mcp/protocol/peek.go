package protocol

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Preview is what a transport has to know about a message before it is served.
type Preview struct {
	Method  string // empty if it is not a request or notification
	HasID   bool   // it is a request or a response
	HasMeta bool   // params._meta is present
	Version string // the revision in _meta; empty if there is none
}

// Peek examines a message that may be malformed. It finds nothing in an array of messages.
func Peek(msg []byte) (p Preview) {
	m := wire.PeekAt(msg)
	p.Method, _ = m.In("method").Text()
	p.HasID = m.Has("id")
	meta := m.In("params").In("_meta")
	p.HasMeta = meta.Kind() != wire.Invalid
	p.Version, _ = meta.In(MetaVersion).Text()
	return p
}
