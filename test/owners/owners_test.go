package owners

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// as returns a context with or without a principal.
func as(ctx context.Context, ann bool) context.Context {
	if ann {
		return principal.With(ctx, Ann)
	}
	return ctx
}

func TestMemory(t *testing.T) {
	Test(t, Over{Local: true, Serve: func(_ *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return mcpclient.InMemory(s)(as(ctx, ann), inbound)
		}
	}})
}

func TestStdio(t *testing.T) {
	Test(t, Over{Local: true, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			served := make(chan error, 1)
			go func() {
				served <- stdio.Serve(as(context.WithoutCancel(ctx), ann), s, stdio.WithInput(in), stdio.WithOutput(out))
				out.Close()
			}()
			t.Cleanup(func() {
				toServer.Close()
				<-served
			})
			return runtime.NewSession(context.WithoutCancel(ctx), stdio.NewConn(fromServer, toServer, frame.Lines, 0), inbound, runtime.Options{}), nil
		}
	}})
}

// sockets serves on the connections of a listener.
func sockets(t *testing.T, l net.Listener, err error, s *mcp.Server, ann bool) {
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- tcp.Serve(ctx, l, s, tcp.WithAuth(func(ctx context.Context, _ net.Conn) (context.Context, error) { return as(ctx, ann), nil }))
	}()
	t.Cleanup(func() {
		stop()
		<-served
	})
}

func TestTCP(t *testing.T) {
	Test(t, Over{Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		sockets(t, l, err, s, ann)
		return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return tcp.Dial(ctx, l.Addr().String(), inbound)
		}
	}})
}

func TestUnix(t *testing.T) {
	Test(t, Over{Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		path := filepath.Join(t.TempDir(), "s")
		l, err := tcp.ListenUnix(path, 0)
		sockets(t, l, err, s, ann)
		return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return tcp.DialUnix(ctx, path, inbound)
		}
	}})
}

func TestHTTP(t *testing.T) {
	Test(t, Over{Tokens: true, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		var o mcphttp.Options
		var client mcphttp.ClientOptions
		if ann {
			o.Auth, client.Token = mcphttp.Tokens(map[string]string{Token: Ann}), mcphttp.StaticToken(Token)
		}
		site := httptest.NewServer(mcphttp.NewHandler(s, o))
		t.Cleanup(site.Close)
		return mcphttp.Dial(site.URL, client)
	}})
}

// TestHandlers: handlers of the program's own, for HTTP or with a Dispatcher, are served to all callers, and a Func can tell.
func TestHandlers(t *testing.T) {
	t.Setenv(variable, "token-of-environment")
	operator := false
	env := backend.Env{"token": variable}
	api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: backend.Options{Logger: slog.New(slog.DiscardHandler), Transport: says(`[]`),
		Credentials: backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
			operator = backend.IsOperator(ctx, q)
			return env.Credential(ctx, q)
		})}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ctx  context.Context
		want bool
	}{
		"a program":    {t.Context(), true},
		"a principal":  {principal.With(t.Context(), Ann), false},
		"HTTP":         {context.WithValue(t.Context(), http.ServerContextKey, new(http.Server)), false},
		"a Dispatcher": {transport.WithLate(t.Context(), func([]byte, transport.Outcome) {}), false},
	} {
		_, err := api.IssuesList(test.ctx, rpc.IssuesListInput{Owner: "o", Repo: "r", State: "open"})
		if operator != test.want || (err == nil) != test.want {
			t.Errorf("%s: %t, %v", name, operator, err)
		}
	}
}
