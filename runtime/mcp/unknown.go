package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
)

// visibility rejects requests that name an entry which the client does not see. The answer is that
// for an unknown name. It comes before any other middleware, which may answer by itself.
func (s *Server) visibility(next Handler) Handler {
	return func(ctx context.Context, q *Request) error {
		if q.route == nil {
			return next(ctx, q)
		}
		switch q.route.has & (hasName | hasURI) {
		case hasURI:
			if !q.sees(ctx, listing.Resources, q.name) {
				return q.unknownEntry(listing.Resources)
			}
		case hasName:
			l := listing.Tools
			if q.route.is(promptsGet) {
				l = listing.Prompts
			}
			if !q.sees(ctx, l, q.name) {
				return q.unknownEntry(l)
			}
		}
		return next(ctx, q)
	}
}

// unknownEntry returns the error for an entry that does not exist.
func (q *Request) unknownEntry(l listing.List) error {
	h := handlerCall{q: q, c: q.call}
	switch l {
	case listing.Tools:
		t := &ToolCall{handlerCall: h}
		t.NotFound("")
		return t.err
	case listing.Prompts:
		p := &PromptCall{h}
		p.NotFound("")
		return p.err
	}
	r := &ResourceCall{handlerCall: h}
	r.NotFound("")
	return r.err
}
