package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// readResource serves resources/read.
func readResource(ctx context.Context, q *Request) error {
	r := &ResourceCall{handlerCall: handlerCall{q: q, c: q.call}}
	if dynamic := q.server.opts.Dynamic; dynamic == nil || !dynamic.ReadResource(ctx, r) {
		q.server.declarations.ReadResource(ctx, r)
	}
	return r.outcome()
}

// URI returns the URI of the resource to read.
func (r *ResourceCall) URI() string { return r.q.name }

// Violations returns the list to which violations of the content are added.
func (r *ResourceCall) Violations() *violation.List { return r.c.Violations() }

// JSON returns the buffer to append the content to, as JSON. Pass the extended buffer to
// [ResourceCall.ReturnJSON].
func (r *ResourceCall) JSON() []byte { return make([]byte, 0, 256) }

// SetMeta sets the _meta of the content, a JSON object. It must be called before the methods that
// return the content.
func (r *ResourceCall) SetMeta(meta string) { r.meta = meta }

// ReturnJSON answers with b, which is the buffer of [ResourceCall.JSON] with the content appended.
func (r *ResourceCall) ReturnJSON(mimeType string, b []byte) {
	r.end(wire.AppendQuoted(append(r.begin(mimeType), `,"text":`...), b))
}

// ReturnText answers with text. If mimeType is empty, it is left out.
func (r *ResourceCall) ReturnText(mimeType, text string) {
	r.end(wire.AppendString(append(r.begin(mimeType), `,"text":`...), text))
}

// ReturnBlob answers with bytes. If mimeType is empty, it is left out.
func (r *ResourceCall) ReturnBlob(mimeType string, blob []byte) {
	r.end(wire.AppendBytes(append(r.begin(mimeType), `,"blob":`...), blob))
}

// begin begins a result with one content.
func (r *ResourceCall) begin(mimeType string) []byte {
	b := wire.AppendString(append(r.c.Result(), `{"contents":[{"uri":`...), r.URI())
	if mimeType != "" {
		b = wire.AppendString(append(b, `,"mimeType":`...), mimeType)
	}
	if r.meta != "" {
		b = append(append(b, `,"_meta":`...), r.meta...)
	}
	return b
}

// end ends the result.
func (r *ResourceCall) end(b []byte) {
	b = append(b, `}]`...)
	if r.q.handshake == nil {
		b = append(b, r.q.server.hints...)
	}
	r.give(append(b, r.q.tail()...))
}

// ErrNotFound is returned by handlers of resources that do not exist. The client gets the same
// error as for a URI that matches no template.
var ErrNotFound = errors.New("there is no such resource")

// Fail answers with err, see [Handler]. [ErrNotFound] is answered like [ResourceCall.NotFound].
func (r *ResourceCall) Fail(err error) {
	if errors.Is(err, ErrNotFound) {
		r.NotFound("")
		return
	}
	r.handlerCall.Fail(err)
}

// NotFound answers that there is no such resource (server/resources, Error Handling). The argument
// holds all URIs, newline-separated.
func (r *ResourceCall) NotFound(known string) {
	uri := r.URI()
	known = r.q.names(known, listing.Resources, listing.Templates)
	r.q.missing = true
	near := closest(uri, known)
	code := int64(runtime.CodeInvalidParams)
	if r.q.handshake != nil {
		code = protocol.CodeResourceNotFound
	}
	r.handlerCall.Fail(r.q.server.declaredError(
		runtime.Condition{Kind: when.ResourceNotFound, Method: uri, Suggestion: near, Available: r.q.server.available(known)},
		r.q.notFound(code, "Resource not found", "uri", uri, near)))
}
