package mcphttp

import (
	"context"
	"net"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// ListenAndServe listens on address, such as localhost:4000, and serves h there, see [Serve].
func ListenAndServe(ctx context.Context, address, path string, h *Handler) error {
	return web.ListenAndServe(ctx, address, func(l net.Listener) error { return Serve(ctx, l, path, h) })
}

// Serve serves h at a path, such as /mcp, on every connection that l accepts, with timeouts for
// slow clients, and closes l at the end. When ctx ends, it stops accepting connections, shuts h
// down, waits up to five seconds for the requests in flight, closes the rest, and returns the error
// of ctx. A program that serves other handlers as well should use its own [http.Server].
func Serve(ctx context.Context, l net.Listener, path string, h *Handler) error {
	handlers := map[string]http.Handler{path: h}
	if h.auth != nil && h.auth.path != "" {
		handlers[h.auth.path], handlers[wellKnown] = h, h
	}
	return web.Serve(ctx, l, web.Service{
		Handlers: handlers, Log: h.log, Shutdown: h.Shutdown,
		NotFound: func(w http.ResponseWriter, _ *http.Request) {
			web.WriteBody(w, h.o.WriteTimeout, http.StatusNotFound, nil)
		},
	})
}
