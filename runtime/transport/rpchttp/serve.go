package rpchttp

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// ListenAndServe listens on address, such as localhost:4000, and serves h there; see [Serve].
func ListenAndServe(ctx context.Context, address, path string, h *Handler) error {
	return web.ListenAndServe(ctx, address, func(l net.Listener) error { return Serve(ctx, l, path, h) })
}

// Serve serves h at a path, such as /rpc, on every connection that l accepts, which may be a
// listener of package tls, and closes l at the end. Headers are limited to 64 KiB and 10 seconds,
// and idle connections to 2 minutes. When ctx ends, Serve stops accepting connections, waits up to
// five seconds for the requests in flight, cancels the rest, and returns the error of ctx. A
// program that serves other handlers as well should use its own [http.Server].
func Serve(ctx context.Context, l net.Listener, path string, h *Handler) error {
	return web.Serve(ctx, l, web.Service{
		Handlers: map[string]http.Handler{path: h}, Log: h.o.Runtime.Logger, Wait: h.wait,
		NotFound: func(w http.ResponseWriter, _ *http.Request) {
			h.refuser.Refuse(w, http.StatusNotFound, "there is nothing at this path")
		},
	})
}

// wait waits for requests that were cancelled, as long as [runtime.Options.ShutdownTimeout] allows.
func (h *Handler) wait() {
	const often = 5 * time.Millisecond
	for end := time.Now().Add(h.o.Runtime.ShutdownTimeout); h.running.Load() > 0; time.Sleep(often) {
		if time.Now().After(end) {
			h.refuser.Log.Warn("handlers still run after serving has ended", "calls", h.running.Load())
			return
		}
	}
}
