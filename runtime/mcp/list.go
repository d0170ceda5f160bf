package mcp

import (
	"context"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/room"
)

// serve answers with the page that the request asks for (server/utilities/pagination).
func (l list) serve(q *Request) error {
	for i := range l {
		if p := &l[i]; q.hasCursor == (i > 0) && q.cursor == p.cursor {
			if q.handshake == nil {
				return q.respond(p.stateless)
			}
			return q.respond(p.handshake)
		}
	}
	return unknownCursor(q.cursor)
}

// serveList answers with a page of a list. A constant one that is too large for a message is split as one that changes.
func serveList(ctx context.Context, q *Request, l listing.List, constant list) error {
	tooLarge := func(p page) bool { return len(p.stateless) > room.Of(q.call)-aroundPage }
	if q.server.opts.Dynamic != nil || slices.ContainsFunc(constant, tooLarge) {
		return q.serveEntries(ctx, l)
	}
	return constant.serve(q)
}

func serveTools(ctx context.Context, q *Request) error {
	tools, withoutApps := q.server.lists.tools, q.server.lists.withoutApps
	if p := q.profile(); p != nil {
		tools, withoutApps = p.tools, p.withoutApps
	}
	if withoutApps != nil && !q.showsApps() {
		tools = withoutApps
	}
	return serveList(ctx, q, listing.Tools, tools)
}

func serveResources(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Resources, q.server.lists.resources)
}

func serveTemplates(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Templates, q.server.lists.templates)
}

func servePrompts(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Prompts, q.server.lists.prompts)
}
