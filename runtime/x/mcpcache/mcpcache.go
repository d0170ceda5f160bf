// Package mcpcache keeps the results of tools of an MCP server, see package cache:
//
//	kept := cache.New(store, cache.Options{Tools: map[string]cache.Rule{
//		"search_items": {TTL: time.Minute, Scope: cache.Public},
//	}})
//	srv := shop.NewServer(office{}, mcp.Options{Middleware: []mcp.Middleware{mcpcache.Middleware(kept)}})
//
// Results with isError are not kept, nor are those of calls whose handler has asked the client, such as
// for the answers of its user, in whichever way the revision has. A call that runs as a task is neither
// kept nor answered from the cache. A tool that was removed from a package mcpdynamic set is not
// answered any more, and one that takes its name has results of its own.
package mcpcache

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
)

// Middleware returns a middleware that keeps the results of tools in c.
func Middleware(c *cache.Cache) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if q.Method() != "tools/call" || q.Continues() || q.TakesTask() {
				return next(ctx, q)
			}
			var handled bool
			var failed error
			result, err := c.Tool(ctx, q.Name(), q.Variant(), q.Arguments(), func(ctx context.Context) []byte {
				handled = true
				if failed = next(ctx, q); failed != nil {
					return nil
				}
				return q.Result()
			})
			switch {
			case handled:
				return failed
			case err != nil:
				return err
			}
			return q.Respond(result)
		}
	}
}
