package websocket

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

// Serve serves h at a path, such as /ws, on every connection that l accepts, which may be a
// listener of package tls, and closes l at the end. Headers are limited to 64 KiB and 10 seconds.
// When ctx ends, Serve stops accepting connections, shuts h down within five seconds, and returns
// the error of ctx. A program that serves other handlers as well should use its own [http.Server].
func Serve(ctx context.Context, l net.Listener, path string, h *Handler) error {
	return web.Serve(ctx, l, web.Service{
		Handlers: map[string]http.Handler{path: h}, Log: h.o.Runtime.Logger, Shutdown: h.Shutdown,
		NotFound: func(w http.ResponseWriter, _ *http.Request) {
			h.refuser.Refuse(w, http.StatusNotFound, "there is nothing at this path")
		},
	})
}
