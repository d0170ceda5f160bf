package scopes_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
	"github.com/rpcgen-go/rpcgen/test/scopes/desk"
)

// clerk counts the calls that reach it.
type clerk struct {
	desk.UnimplementedServer
	calls atomic.Uint32
}

func (c *clerk) Pay(context.Context, desk.PayInput) (desk.PayOutput, error) {
	return desk.PayOutput{Calls: c.calls.Add(1)}, nil
}

func (c *clerk) Look(context.Context) (desk.LookOutput, error) {
	return desk.LookOutput{Calls: c.calls.Add(1)}, nil
}

func (c *clerk) DeskClose(context.Context) (desk.DeskCloseResult, error) {
	return desk.DeskCloseResult{Calls: c.calls.Add(1)}, nil
}

// eras are the revisions by which calls are made: without and with a handshake.
var eras = []string{mcp.Revision20260728, mcp.Revision20251125, mcp.Revision20250326}

// dial connects a client of a revision.
func dial(t *testing.T, dialer mcpclient.Dialer, ctx context.Context, revision string) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(ctx, dialer, mcpclient.Options{Logger: quiet, Revisions: []string{revision}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// isDenied reports whether a call was refused with the error that the schema declares for it.
func isDenied(err error, tool, missing string) bool {
	e, ok := errors.AsType[*desk.DeniedError](err)
	return ok && e.Tool == tool && slices.Equal(e.Missing, []string{missing}) && slices.Equal(e.Scopes, []string{missing})
}

// checkTools calls everything. The caller has the scopes pay:write and desk:admin if it may.
func checkTools(t *testing.T, c *mcpclient.Client, may bool) {
	t.Helper()
	client := desk.NewClient(c)
	if _, err := client.Look(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.Pay(t.Context(), desk.PayInput{Amount: 1}); may != (err == nil) || !may && !isDenied(err, "pay", "pay:write") {
		t.Error(may, err)
	}
	entries := ""
	for tool, err := range c.ListTools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(tool.Meta)
		entries += tool.Name + string(text)
	}
	if !strings.Contains(entries, "pay") || !strings.Contains(entries, "look") {
		t.Error(entries) // every caller sees them
	}
}

// TestScopesTools: tools need their scopes in each era, as do methods of the server's own.
func TestScopesTools(t *testing.T) {
	for _, revision := range eras {
		for _, scopes := range [][]string{nil, {"pay:write", "desk:admin"}} {
			server := new(clerk)
			srv := desk.NewServer(server, mcp.Options{Logger: quiet})
			var conn runtime.Conn
			ctx := principal.WithScopes(t.Context(), scopes...)
			checkTools(t, dial(t, func(ctx context.Context, inbound runtime.Handler) (_ runtime.Conn, err error) {
				conn, err = mcpclient.InMemory(srv)(ctx, inbound)
				return conn, err
			}, ctx, revision), scopes != nil)
			err := error(nil)
			if revision == mcp.Revision20260728 {
				_, err = mount.New(srv).Call(ctx, desk.MethodDeskClose, mount.Params{}, mount.Client{})
			} else {
				_, err = desk.NewMethodClient(conn).DeskClose(t.Context())
			}
			if may := scopes != nil; may != (err == nil) || !may && !strings.Contains(err.Error(), "you may not call desk/close") {
				t.Error(revision, scopes, err)
			}
			if want := uint32(1 + len(scopes)); server.calls.Load() != want {
				t.Error(revision, server.calls.Load(), want)
			}
		}
	}
}

// TestScopesListed: the entry of a tool names its scopes beside what the schema has in its _meta.
func TestScopesListed(t *testing.T) {
	const want = `"_meta":{"example.com/till":1,"io.github.rpcgen-go/scopes":["pay:write"]}`
	info := desk.NewServer(new(clerk), mcp.Options{Logger: quiet}).Info()
	if strings.Count(info.Tools, want) != 1 || strings.Count(info.Tools, "_meta") != 1 {
		t.Error(info.Tools)
	}
}

// TestScopesTasks: a call that would run as a task needs the scopes, and the task needs them no second time.
func TestScopesTasks(t *testing.T) {
	for _, revision := range eras[:2] {
		for _, scopes := range [][]string{nil, {"pay:write"}} {
			server := new(clerk)
			srv := desk.NewServer(server, mcp.Options{Logger: quiet})
			ctx := principal.WithScopes(principal.With(t.Context(), "ann"), scopes...)
			client := desk.NewClient(dial(t, mcpclient.InMemory(srv), ctx, revision))
			task, err := client.StartPay(t.Context(), desk.PayInput{Amount: 1})
			if scopes == nil {
				if !isDenied(err, "pay", "pay:write") || server.calls.Load() > 0 {
					t.Error(revision, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if out, err := task.Wait(t.Context()); err != nil || out.Calls != 1 {
				t.Error(revision, out, err)
			}
		}
	}
}

// TestScopesCache: a result that is kept needs its scopes, and middleware sees the failure.
func TestScopesCache(t *testing.T) {
	for _, revision := range eras {
		server, failed := new(clerk), []int64(nil)
		kept := cache.New(new(store), desk.CacheRules())
		watch := func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, q *mcp.Request) error {
				err := next(ctx, q)
				if f := q.Failure(err); f != nil {
					failed = append(failed, f.Code)
				}
				return err
			}
		}
		srv := desk.NewServer(server, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{watch, mcpcache.Middleware(kept)}})
		for i, scopes := range [][]string{nil, {"pay:write"}, {"pay:write"}, nil, {"pay:read"}} {
			client := desk.NewClient(dial(t, mcpclient.InMemory(srv), principal.WithScopes(t.Context(), scopes...), revision))
			out, err := client.Pay(t.Context(), desk.PayInput{Amount: 1})
			if may := slices.Contains(scopes, "pay:write"); may != (err == nil && out.Calls == 1) || !may && !isDenied(err, "pay", "pay:write") {
				t.Error(revision, i, out, err)
			}
		}
		if !slices.Equal(failed, []int64{1403, 1403, 1403}) || server.calls.Load() != 1 {
			t.Error(revision, failed, server.calls.Load())
		}
	}
}

// answering is a middleware that answers calls of tools without the handler.
func answering(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		if q.Method() != "tools/call" {
			return next(ctx, q)
		}
		return q.Respond([]byte(`{"content":[],"structuredContent":{"calls":7}}`))
	}
}

// TestScopesMiddlewareOfTools: middleware cannot answer in place of the refusal.
func TestScopesMiddlewareOfTools(t *testing.T) {
	srv := desk.NewServer(new(clerk), mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{answering}})
	for _, revision := range eras {
		client := desk.NewClient(dial(t, mcpclient.InMemory(srv), t.Context(), revision))
		if _, err := client.Pay(t.Context(), desk.PayInput{Amount: 1}); !isDenied(err, "pay", "pay:write") {
			t.Error(revision, err)
		}
		if out, err := client.Look(t.Context()); err != nil || out.Calls != 7 {
			t.Error(revision, out, err)
		}
	}
}

// verify takes the scopes from the token.
func verify(_ context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
	return mcphttp.Principal{ID: "ann", Scopes: strings.Split(token, ",")}, nil
}

// TestScopesMCPHTTP: the status is 403 in each era, with a challenge by which clients get a token that has the scope; each request of a session needs its own.
func TestScopesMCPHTTP(t *testing.T) {
	handler := mcphttp.NewHandler(desk.NewServer(new(clerk), mcp.Options{Logger: quiet}), mcphttp.Options{
		Auth:    &mcphttp.Auth{Verify: verify, Resource: "https://desk.example/mcp", AuthorizationServers: []string{"https://login.example"}},
		Runtime: runtime.Options{Logger: quiet},
	})
	s := httptest.NewServer(handler)
	defer s.Close()
	defer handler.Close()
	for _, revision := range eras {
		var mu sync.Mutex // a stream of the session asks for a token, too
		var challenges []mcphttp.Challenge
		token := "pay:read"
		options := mcphttp.ClientOptions{Token: func(_ context.Context, refused *mcphttp.Challenge) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			if refused != nil {
				challenges = append(challenges, *refused)
			}
			return token, nil
		}}
		c := dial(t, mcphttp.Dial(s.URL, options), t.Context(), revision)
		checkTools(t, c, false)
		mu.Lock()
		if len(challenges) != 1 || challenges[0].Error != "insufficient_scope" || !slices.Equal(challenges[0].Scopes, []string{"pay:write"}) || !strings.HasPrefix(challenges[0].ResourceMetadata, "https://desk.example/") {
			t.Errorf("%s: %+v", revision, challenges)
		}
		token = "pay:write,pay:read"
		mu.Unlock()
		checkTools(t, c, true)
	}
}

// TestScopesMount: a server that is mounted in another one finds the scopes in the context of the call.
func TestScopesMount(t *testing.T) {
	m := mount.New(desk.NewServer(new(clerk), mcp.Options{Logger: quiet}))
	params := mount.Params{Name: "pay", Arguments: json.RawMessage(`{"amount":1}`)}
	_, err := m.Call(t.Context(), "tools/call", params, mount.Client{})
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != 1403 {
		t.Error(err)
	}
	if _, err = m.Call(principal.WithScopes(t.Context(), "pay:write"), "tools/call", params, mount.Client{}); err != nil {
		t.Error(err)
	}
}

// TestScopesUpstream: a gateway passes the refusal of a server on, and the entry with its scopes; the server sees the scopes of the gateway.
func TestScopesUpstream(t *testing.T) {
	for _, scopes := range [][]string{nil, {"pay:write"}} {
		old := desk.NewServer(new(clerk), mcp.Options{Logger: quiet})
		dialer := mcpclient.InMemory(old)
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: quiet}, mount.Upstream{Name: "old", Dial: func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return dialer(principal.WithScopes(ctx, scopes...), inbound)
		}})
		if err != nil {
			t.Fatal(err)
		}
		srv := office.Front(up)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := up.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		for _, revision := range eras {
			checkTools(t, dial(t, mcpclient.InMemory(srv), t.Context(), revision), scopes != nil)
		}
		up.Close()
		srv.Close()
	}
}
