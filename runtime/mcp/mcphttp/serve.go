package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// grace is how long the requests in flight may take when serving ends.
const grace = 5 * time.Second

// ListenAndServe listens on address, such as localhost:4000, and serves h there, see [Serve].
func ListenAndServe(ctx context.Context, address, path string, h *Handler) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, l, path, h)
}

// Serve serves h at a path, such as /mcp, on every connection that l accepts, with timeouts for
// slow clients, and closes l at the end. When ctx ends, it stops accepting connections, shuts h
// down, waits up to five seconds for the requests in flight, closes the rest, and returns the error
// of ctx. A program that serves other handlers as well should use its own [http.Server].
func Serve(ctx context.Context, l net.Listener, path string, h *Handler) error {
	mux := http.NewServeMux()
	mux.Handle(path, h)
	if path != "/" {
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			web.WriteBody(w, h.o.WriteTimeout, http.StatusNotFound, nil)
		})
	}
	if h.auth != nil && h.auth.path != "" {
		mux.Handle(h.auth.path, h)
		if h.auth.path != wellKnown {
			mux.Handle(wellKnown, h)
		}
	}
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		shutdown(server, h)
	})
	err := server.Serve(l)
	if !stop() {
		<-ended
		return ctx.Err()
	}
	return errors.Join(err, server.Close(), h.Close())
}

// shutdown ends serving after the grace period.
func shutdown(server *http.Server, h *Handler) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if h.Shutdown(ctx) != nil || server.Shutdown(ctx) != nil {
		server.Close()
	}
}
