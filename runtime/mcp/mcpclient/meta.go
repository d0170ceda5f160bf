package mcpclient

import (
	"context"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// appendMeta appends the member _meta of a request; meta holds the members that the revision
// requires. The caller must call forget when the request
// has ended.
func (c *Client) appendMeta(ctx context.Context, b []byte, meta string, id int64) (_ []byte, forget func()) {
	head := len(b)
	b = append(b, `,"_meta":`...)
	start := len(b)
	b = append(b, meta...)
	if l := protocol.Level(c.level.Load()); l != protocol.NoLevel && meta != "" {
		b = append(append(append(b, `,"`+protocol.MetaLogLevel+`":"`...), l.String()...), '"')
	}
	b = appendOwnMeta(ctx, b)
	forget = func() {}
	if report := c.opts.reports(ctx); report != nil {
		b = wire.AppendInt(append(b, `,"progressToken":`...), id)
		forget = c.progress.expect(ctx, c.conn, id, report)
	}
	if len(b) == start {
		return b[:head], forget
	}
	return wire.CloseObject(b, start), forget
}

// WithMeta returns a context for requests with a member of _meta, such as traceparent (basic,
// OpenTelemetry trace context).
func WithMeta(ctx context.Context, key string, value runtime.Raw) context.Context {
	outer, _ := ctx.Value(metaKey{}).(*ownMeta)
	return context.WithValue(ctx, metaKey{}, &ownMeta{outer, key, value})
}

type metaKey struct{}

// ownMeta is a member of _meta, and the ones that were set before it.
type ownMeta struct {
	outer *ownMeta
	key   string
	value runtime.Raw
}

// appendOwnMeta appends the members that WithMeta has set. Of members with the same key, the last
// one counts.
func appendOwnMeta(ctx context.Context, b []byte) []byte {
	m, _ := ctx.Value(metaKey{}).(*ownMeta)
	var said []string
	for ; m != nil; m = m.outer {
		if !slices.Contains(said, m.key) {
			said = append(said, m.key)
			b = append(wire.AppendString(append(b, ','), m.key), ':')
			b = wire.AppendRaw(b, m.value)
		}
	}
	return b
}
