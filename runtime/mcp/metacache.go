package mcp

import (
	"bytes"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// metaCache keeps the _meta of one request with what it says. Every request of the stateless era has
// a _meta, and that of a client is mostly the same, so most are compared instead of read. The zero
// metaCache is empty. It is safe for concurrent use.
type metaCache struct {
	kept   atomic.Pointer[keptMeta]
	missed atomic.Uint32 // requests whose _meta was another
}

type keptMeta struct {
	text  []byte // the whole object
	depth int    // how deep it is nested
	meta  meta   // shares the bytes of text
}

const (
	maxKeptMeta = 1 << 10 // bytes; a longer text is not kept
	keptMisses  = 1024    // one of so many requests whose _meta is another replaces the kept one
)

// scan is [meta.scan] for a new m.
func (c *metaCache) scan(m *meta, r *wire.Reader) {
	if k := c.kept.Load(); k != nil && wire.Match(r, k.text, k.depth) {
		*m = k.meta
		return
	}
	p := r.Peek()
	m.scan(r)
	if m.sound() && m.token.IsZero() && !r.Failed() && c.missed.Add(1)%keptMisses == 1 {
		c.keep(p.JSON())
	}
}

// keep keeps the valid text of a _meta.
func (c *metaCache) keep(text []byte) {
	if len(text) == 0 || len(text) > maxKeptMeta {
		return
	}
	k := &keptMeta{text: bytes.Clone(text), depth: 1, meta: meta{level: protocol.NoLevel}}
	for k.depth < wire.MaxDepth && wire.Skip(k.text, 0, k.depth) < 0 {
		k.depth++
	}
	var r wire.Reader
	r.Reset(k.text, 0, k.depth)
	k.meta.scan(&r)
	c.kept.Store(k)
}
