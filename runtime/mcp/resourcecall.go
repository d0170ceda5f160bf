package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ResourceCall is one reading of a resource (server/resources, Reading Resources) while [Declarations] handle it. It is valid until
// ReadResource returns.
type ResourceCall struct{ handling }

// readResource serves resources/read.
func readResource(ctx context.Context, q *Request) error {
	r := &ResourceCall{handling{q: q, c: q.call}}
	q.server.declarations.ReadResource(ctx, r)
	return r.outcome()
}

// URI returns the URI that is to be read.
func (r *ResourceCall) URI() string { return r.q.name }

// Violations returns where the rules are collected that what was read breaks.
func (r *ResourceCall) Violations() *rule.Violations { return r.c.Violations() }

// JSON returns a buffer that what was read is to be appended to as JSON; [ResourceCall.ReturnJSON] takes it.
func (r *ResourceCall) JSON() []byte { return make([]byte, 0, 256) }

// ReturnJSON answers with b, which is [ResourceCall.JSON] with what was read appended.
func (r *ResourceCall) ReturnJSON(mimeType string, b []byte) {
	r.end(wire.AppendQuoted(append(r.begin(mimeType), `,"text":`...), b))
}

// ReturnText answers with a text. An empty mimeType is left out.
func (r *ResourceCall) ReturnText(mimeType, text string) {
	r.end(wire.AppendString(append(r.begin(mimeType), `,"text":`...), text))
}

// ReturnBlob answers with bytes. An empty mimeType is left out.
func (r *ResourceCall) ReturnBlob(mimeType string, blob []byte) {
	r.end(wire.AppendBytes(append(r.begin(mimeType), `,"blob":`...), blob))
}

// begin begins a result with one content.
func (r *ResourceCall) begin(mimeType string) []byte {
	b := wire.AppendString(append(r.c.Result(), `{"contents":[{"uri":`...), r.URI())
	if mimeType != "" {
		b = wire.AppendString(append(b, `,"mimeType":`...), mimeType)
	}
	return b
}

// end ends it.
func (r *ResourceCall) end(b []byte) {
	b = append(b, `}]`...)
	if r.q.shake == nil {
		b = append(b, r.q.server.hints...)
	}
	r.give(append(b, r.q.tail()...))
}

// ErrNotFound is what a handler of a resource returns when there is none of the URI: the client is told so, as for a URI that no template
// matches.
var ErrNotFound = errors.New("there is no such resource")

// Fail answers with err; see [Handler]. [ErrNotFound] is answered as [ResourceCall.NotFound] does.
func (r *ResourceCall) Fail(err error) {
	if errors.Is(err, ErrNotFound) {
		r.NotFound("")
		return
	}
	r.handling.Fail(err)
}

// NotFound answers that there is no such resource (server/resources, Error Handling). Known are the URIs there are, newline-separated.
func (r *ResourceCall) NotFound(known string) {
	uri := r.URI()
	r.q.missing = true
	near := closest(uri, known)
	code := int64(runtime.CodeInvalidParams)
	if r.q.shake != nil {
		code = codeResourceNotFound
	}
	r.handling.Fail(r.q.server.declared(
		runtime.Condition{Kind: when.ResourceNotFound, Method: uri, Suggestion: near, Available: func() []string { return lines(known) }},
		unknown(code, "Resource not found", "uri", uri, near)))
}
