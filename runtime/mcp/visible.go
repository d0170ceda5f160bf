package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
)

// forApps reports whether only pages call a tool.
func (s *Server) forApps(tool string) bool {
	return s.apps.tools[tool] || s.opts.Dynamic != nil && s.opts.Dynamic.ForApps(tool)
}

// showsApps reports whether the client of the request shows pages for tools.
func (q *Request) showsApps() bool {
	if q.handshake != nil {
		return q.handshake.caller.Capabilities.Apps()
	}
	return Capabilities{q.meta.capabilities}.Apps()
}

// filters reports whether entries may be hidden from clients.
func (s *Server) filters() bool { return s.opts.Dynamic != nil && s.opts.Dynamic.Filters() }

// sees reports whether the client of the request sees an entry.
func (q *Request) sees(ctx context.Context, l listing.List, key string) bool {
	return q.server.visible(ctx, l, key) && (l != listing.Tools || !q.server.forApps(key) || q.showsApps())
}

// visible reports whether the client sees an entry, as far as [Dynamic] decides that.
func (s *Server) visible(ctx context.Context, l listing.List, key string) bool {
	return s.opts.Dynamic == nil || s.opts.Dynamic.Visible(ctx, l, key)
}

// updatesFor returns a function that reports whether the client of the request that ctx belongs to may
// learn of an update of a resource. It is nil if every client may.
func (s *Server) updatesFor(ctx context.Context) func(uri string) bool {
	if !s.filters() {
		return nil
	}
	return func(uri string) bool { return s.visible(ctx, listing.Resources, uri) }
}

// suggestible limits the entries among which the closest name is searched, because a request with an
// unknown name should not cost more than one with a known name by orders of magnitude.
const suggestible = 1000

// names returns the keys that the client may learn of, newline-separated: those of the schema, which
// generated code knows, or those that the client sees of all there are.
func (q *Request) names(generated string, lists ...listing.List) string {
	if q.server.opts.Dynamic == nil {
		return q.server.namesFor(q, generated, lists)
	}
	var all []string
	for _, l := range lists {
		for _, e := range slices.Concat(q.server.lists.entries[l](), q.server.opts.Dynamic.After(l, "")) {
			if len(all) < suggestible && q.sees(q.handlerContext(), l, e.Key) {
				all = append(all, e.Key)
			}
		}
	}
	return strings.Join(all, "\n")
}

// namesFor returns the names of the schema without the tools that the client does not see.
func (s *Server) namesFor(q *Request, generated string, lists []listing.List) string {
	if s.apps.tools == nil || !slices.Contains(lists, listing.Tools) || q.showsApps() {
		return generated
	}
	all := strings.Split(generated, "\n")
	return strings.Join(slices.DeleteFunc(all, s.forApps), "\n")
}

// handlerContext returns the context of the handler, or of the request if no handler is called.
func (q *Request) handlerContext() context.Context {
	if q.scope != nil {
		return q.scope
	}
	return q.context
}
