package waits

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

// servers are those of the runtime.
func servers() map[string]func(ctx context.Context, l net.Listener) error {
	log := slog.New(slog.DiscardHandler)
	auth := mcphttp.Tokens(map[string]string{"a": "ann"})
	auth.Resource, auth.AuthorizationServers = "http://localhost/rpc", []string{"https://auth.example.com"}
	tools := func() *mcp.Server { return toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: log}) }
	limits := runtime.Options{Logger: log}
	return map[string]func(ctx context.Context, l net.Listener) error{
		"mcphttp": func(ctx context.Context, l net.Listener) error {
			return mcphttp.Serve(ctx, l, "/rpc", mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits}))
		},
		"mcphttp with tokens": func(ctx context.Context, l net.Listener) error {
			return mcphttp.Serve(ctx, l, "/rpc", mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits, Auth: auth}))
		},
		"rpchttp": func(ctx context.Context, l net.Listener) error {
			return rpchttp.Serve(ctx, l, "/rpc", rpchttp.NewHandler(weather.NewHandler(weather.UnimplementedServer{}), rpchttp.Options{Runtime: limits}))
		},
		"handlers of a server of one's own": func(ctx context.Context, l net.Listener) error {
			h := mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits})
			mux := http.NewServeMux()
			mux.Handle("/rpc", h)
			mux.Handle("/livez", mcphttp.Live())
			mux.Handle("/readyz", h.Readiness())
			mux.Handle("/", rpchttp.NewHandler(weather.NewHandler(weather.UnimplementedServer{}), rpchttp.Options{Runtime: limits}))
			s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
			context.AfterFunc(ctx, func() { s.Close() })
			err := s.Serve(l)
			return errors.Join(err, h.Shutdown(context.WithoutCancel(ctx)))
		},
	}
}

func TestWaits(t *testing.T) {
	for name, serve := range servers() {
		t.Run(name, func(t *testing.T) { Test(t, serve) })
	}
}
