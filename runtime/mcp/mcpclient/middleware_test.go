package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// TestOnSession: both sides hear of a session, and of its end; there is none in the stateless era.
func TestOnSession(t *testing.T) {
	eras(t, func(t *testing.T, era mcp.Era, change func(*mcp.Info)) {
		var mu sync.Mutex
		var seen []string
		note := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, text)
		}
		srv := mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: shop.Quiet, OnSession: func(c mcp.Caller) func() {
			note("server: " + c.Name + " " + c.Revision)
			return func() { note("server: over") }
		}})
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Name: "me", Logger: shop.Quiet, OnSession: func(revision string) func() {
			note("client: " + revision)
			return func() { note("client: over") }
		}})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		c.Close()
		want := "server: me 2025-11-25,client: 2025-11-25,server: over,client: over"
		if era == mcp.Stateless {
			want = ""
		}
		if got := strings.Join(seen, ","); got != want {
			t.Errorf("got %s", got)
		}
	})
}

// TestClientMiddleware: it stands around every request in order, changes the context, sees what came of it, and may answer itself.
func TestClientMiddleware(t *testing.T) {
	eras(t, func(t *testing.T, era mcp.Era, change func(*mcp.Info)) {
		var seen []string
		note := func(next mcpclient.Handler) mcpclient.Handler {
			return func(ctx context.Context, q *mcpclient.Request) error {
				if q.ID() != 0 || q.HTTP() {
					t.Error("it was sent already")
				}
				err := next(mcpclient.WithMeta(ctx, "traceparent", shop.Raw(`"00-1"`)), q)
				if (q.ID() == 0) != (q.Name() == "report" || q.Name() == "interview") {
					t.Error(q.Name(), "was or was not sent")
				}
				seen = append(seen, fmt.Sprintf("%s %s %v %v", q.Method(), q.Name(), q.ToolFailed(), err))
				return err
			}
		}
		forbidden := errors.New("forbidden")
		refuse := func(next mcpclient.Handler) mcpclient.Handler {
			return func(ctx context.Context, q *mcpclient.Request) error {
				switch q.Name() {
				case "report":
					return forbidden
				case "interview":
					return nil
				}
				return next(ctx, q)
			}
		}
		var parents []string
		o := mcp.Options{Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, q *mcp.Request) error {
				parent, _ := q.Meta("traceparent")
				parents = append(parents, parent)
				return next(ctx, q)
			}
		}}}
		co := answering()
		co.Middleware = []mcpclient.Middleware{note, refuse}
		c := connect(t, &shop.Shop{Change: change}, o, co)
		seen = nil
		c.CallTool(t.Context(), "misbehave", shop.Raw(`{"how":"error"}`))
		if _, err := c.CallTool(t.Context(), "report", shop.Raw("{}")); err != forbidden {
			t.Error(err)
		}
		if _, err := c.CallTool(t.Context(), "interview", shop.Raw("{}")); err == nil {
			t.Error("there was no response")
		}
		c.CallTool(t.Context(), "nothing", shop.Raw("{}"))
		if _, err := c.CallTool(t.Context(), "place_order", shop.Raw(`{"sku":"A-1"}`)); err != nil {
			t.Error(err)
		}
		want := []string{
			"tools/call misbehave true <nil>", "tools/call report false forbidden", "tools/call interview false <nil>",
			"tools/call nothing false Unknown tool: nothing (code -32602)", "tools/call place_order false <nil>",
		}
		if era == mcp.Stateless {
			want = append(want, "tools/call place_order false <nil>") // the second round
		}
		if got := strings.Join(seen, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got %s", got)
		}
		for _, parent := range parents {
			if parent != "00-1" {
				t.Errorf("got %q", parent)
			}
		}
	})
}

// TestEarlyServer: messages that a server sends before the first request do no harm.
func TestEarlyServer(t *testing.T) {
	early := []string{
		`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}]`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet})
	dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		a, b := pipe.New(0)
		client := runtime.NewSession(context.WithoutCancel(ctx), a, inbound, runtime.Options{Logger: shop.Quiet})
		for _, msg := range early {
			if err := b.WriteFrame([]byte(msg)); err != nil {
				return nil, err
			}
		}
		for answered := 0; answered < 2; answered++ { // the array and the ping
			if _, err := b.ReadFrame(); err != nil {
				return nil, err
			}
		}
		server := runtime.NewSession(context.WithoutCancel(ctx), b, srv, runtime.Options{Logger: shop.Quiet})
		return &bothEnds{client, server}, nil
	}
	c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: shop.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	c.Close()
}

// bothEnds is a connection whose server ends with it.
type bothEnds struct {
	*runtime.Session
	server *runtime.Session
}

func (c *bothEnds) Close() error {
	c.Session.Close()
	c.server.Close()
	c.Session.Wait()
	return c.server.Wait()
}

// TestSubscribeAgain: a resource that could not be subscribed to is asked for again.
func TestSubscribeAgain(t *testing.T) {
	subscribed := 0
	s := &script{answer: func(method string, _ wire.Peek) string {
		switch method {
		case "initialize":
			return shaken
		case "resources/subscribe":
			if subscribed++; subscribed == 1 {
				return `"error":{"code":-32603,"message":"not now"}`
			}
		}
		return `"result":{}`
	}}
	c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wanted := mcpclient.Changes{URIs: []string{"shop://a"}}
	if _, err := c.Listen(t.Context(), wanted); err == nil {
		t.Error("it was refused")
	}
	l, err := c.Listen(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if got := s.methods(); got != "initialize notifications/initialized resources/subscribe resources/subscribe resources/unsubscribe" {
		t.Error(got)
	}
}
