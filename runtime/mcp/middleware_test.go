package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// failures is a middleware that notes how requests fail.
func failures(to *[]string) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			err := next(ctx, q)
			text := "fine"
			if f := q.Failure(err); f != nil {
				text = fmt.Sprintf("%+v", *f)
			}
			*to = append(*to, text)
			return err
		}
	}
}

// TestFailure: what middleware is told of a failure is what the client is told.
func TestFailure(t *testing.T) {
	misbehave := func(how string) string {
		return request("tools/call", `"name":"misbehave","arguments":{"how":"`+how+`"},`)
	}
	tool, internal := "{Tool:true Code:0 Cancelled:false NotFound:false}", "{Tool:false Code:-32603 Cancelled:false NotFound:false}"
	var seen []string
	srv := mcp.NewServer(&shop{own: ownMethods{}}, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{failures(&seen)}})
	for _, c := range []struct{ msg, want string }{
		{request("tools/call", search), "fine"},
		{request("tools/list", ""), "fine"},
		{request("tools/call", `"name":"search_items","arguments":{"query":""},`), tool},
		{request("tools/call", `"name":"search_items","arguments":{"query":"broken"},`), internal},
		{request("tools/call", `"name":"search",`), "{Tool:false Code:-32602 Cancelled:false NotFound:true}"},
		{request("prompts/get", `"name":"review",`), "{Tool:false Code:-32602 Cancelled:false NotFound:true}"},
		{request("resources/read", `"uri":"shop://nothing",`), "{Tool:false Code:-32602 Cancelled:false NotFound:true}"},
		{request("shop/nothing", ""), "{Tool:false Code:-32601 Cancelled:false NotFound:true}"},
		{request("shop/echo", `"text":"x",`), "fine"},
		{request("shop/echo", `"text":7,`), "{Tool:false Code:-32602 Cancelled:false NotFound:false}"},
		{request("shop/echo", `"text":"burnt",`), internal},
		{misbehave("error"), tool},
		{misbehave("unimplemented"), tool},
		{misbehave("nil"), tool},
		{misbehave("silence"), tool},
		{misbehave("isError"), tool},
		{misbehave("whole"), "fine"},
		{misbehave("code"), internal},
		{misbehave("coded"), "{Tool:false Code:7 Cancelled:false NotFound:false}"},
		{request("tools/call", `"name":"place_order","arguments":{"sku":"GONE"},`), tool},
		{request("tools/call", `"name":"place_order","arguments":{"sku":"A-1"},`), "{Tool:false Code:-32021 Cancelled:false NotFound:false}"},
		{strings.Replace(request("tools/call", `"name":"place_order","arguments":{"sku":"A-1"},`), `Capabilities":{}`, `Capabilities":{"elicitation":{}}`, 1), "fine"},
	} {
		seen = nil
		answer := dispatch(t.Context(), srv, c.msg)
		if got := strings.Join(seen, ","); got != c.want {
			t.Errorf("%s\n  got  %s\n  want %s", c.msg, got, c.want)
		}
		code, _ := wire.PeekAt([]byte(answer)).In("error").In("code").Scalar()
		if !strings.Contains(c.want, "Code:"+code) && code != "" || code == "" && strings.Contains(c.want, "Code:-") {
			t.Errorf("%s\n  was answered %s\n  and not %s", c.msg, answer, c.want)
		}
		if strings.Contains(answer, `"isError":true`) != (c.want == tool) {
			t.Errorf("%s\n  was answered %s\n  and not %s", c.msg, answer, c.want)
		}
	}
}

// TestFailureInSession: a cancelled request is answered nothing, and a client that cannot be asked has its model told.
func TestFailureInSession(t *testing.T) {
	seen := make(chan *mcp.Failure, 3)
	note := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			err := next(ctx, q)
			seen <- q.Failure(err)
			return err
		}
	}
	s := &shop{waiting: make(chan struct{})}
	c := connect(t, s, mcp.Options{Middleware: []mcp.Middleware{note}}, mcp.ClientOptions{Era: mcp.Handshake, Logger: quiet})
	if result, err := c.CallTool(t.Context(), "place_order", raw(`{"sku":"A-1"}`)); err != nil || !result.IsError.Or(false) {
		t.Error(result, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.waiting
		cancel()
	}()
	if _, err := c.CallTool(ctx, "misbehave", raw(`{"how":"wait"}`)); err != context.Canceled {
		t.Error(err)
	}
	for i, want := range []*mcp.Failure{nil, {Tool: true}, {Cancelled: true}} {
		if got := <-seen; !cmp.Equal(got, want) {
			t.Errorf("%d: got %+v", i, got)
		}
	}
}

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
		srv := mcp.NewServer(&shop{change: change}, mcp.Options{Logger: quiet, OnSession: func(c mcp.Caller) func() {
			note("server: " + c.Name + " " + c.Revision)
			return func() { note("server: over") }
		}})
		c, err := mcp.Connect(t.Context(), mcp.InMemory(srv), mcp.ClientOptions{Name: "me", Logger: quiet, OnSession: func(revision string) func() {
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
		note := func(next mcp.ClientHandler) mcp.ClientHandler {
			return func(ctx context.Context, q *mcp.ClientRequest) error {
				if q.ID() != 0 || q.HTTP() {
					t.Error("it was sent already")
				}
				err := next(mcp.WithMeta(ctx, "traceparent", raw(`"00-1"`)), q)
				if (q.ID() == 0) != (q.Name() == "report" || q.Name() == "interview") {
					t.Error(q.Name(), "was or was not sent")
				}
				seen = append(seen, fmt.Sprintf("%s %s %v %v", q.Method(), q.Name(), q.ToolFailed(), err))
				return err
			}
		}
		forbidden := errors.New("forbidden")
		refuse := func(next mcp.ClientHandler) mcp.ClientHandler {
			return func(ctx context.Context, q *mcp.ClientRequest) error {
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
		co.Middleware = []mcp.ClientMiddleware{note, refuse}
		c := connect(t, &shop{change: change}, o, co)
		seen = nil
		c.CallTool(t.Context(), "misbehave", raw(`{"how":"error"}`))
		if _, err := c.CallTool(t.Context(), "report", raw("{}")); err != forbidden {
			t.Error(err)
		}
		if _, err := c.CallTool(t.Context(), "interview", raw("{}")); err == nil {
			t.Error("there was no response")
		}
		c.CallTool(t.Context(), "nothing", raw("{}"))
		if _, err := c.CallTool(t.Context(), "place_order", raw(`{"sku":"A-1"}`)); err != nil {
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

// TestLogs: one line says how a call failed; at the level error only what is the server's fault. What clients say and are told is in none.
func TestLogs(t *testing.T) {
	for _, c := range []struct{ params, debug, shown string }{
		{search, `level=DEBUG msg="served a request" method=tools/call name=search_items revision=2026-07-28`, ""},
		{`"name":"search_items","arguments":{"query":"x","limit":98765432101234},`, `error="invalid arguments: /limit (maximum)"`, ""},
		{`"name":"` + strings.Repeat("x", 5000) + `",`, "name=" + strings.Repeat("x", 100) + "... ", ""},
		{`"name":"search_items","arguments":{"query":"broken"},`, "", `level=ERROR msg="the result breaks its schema" method=tools/call violations="/items: required: expected items"`},
		{`"name":"misbehave","arguments":{"how":"error"},`, "", `level=ERROR msg="the tool failed" tool=misbehave error="the password is 1234"`},
		{`"name":"misbehave","arguments":{"how":"panic"},`, "", `level=ERROR msg="the handler panicked" method=tools/call`},
	} {
		for level, want := range map[slog.Level]string{slog.LevelDebug: c.debug, slog.LevelInfo: c.shown} {
			var out bytes.Buffer
			log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
			d := runtime.NewDispatcher(mcp.NewServer(&shop{}, mcp.Options{Logger: log}), runtime.Options{Logger: log})
			d.Dispatch(t.Context(), nil, []byte(request("tools/call", c.params)))
			got := out.String()
			if !strings.Contains(got, want) || len(got) > 8000 || strings.Contains(got, "98765432101234") {
				t.Errorf("%.100s at %s\n  got  %s\n  want %s", c.params, level, got, want)
			}
			lines := strings.Count(got, "level=")
			if level == slog.LevelInfo && lines != min(1, len(c.shown)) {
				t.Errorf("%.100s: %d lines\n%s", c.params, lines, got)
			}
		}
	}
}

// TestHandshakeWithoutID: an initialize that nobody waits for begins no session.
func TestHandshakeWithoutID(t *testing.T) {
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, newServer(""), runtime.Options{Logger: quiet})
	const initialize = `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	a.WriteFrame([]byte(`{"jsonrpc":"2.0",` + initialize))
	a.WriteFrame([]byte(`{"jsonrpc":"2.0","id":1,` + initialize))
	if msg, err := a.ReadFrame(); err != nil || !strings.Contains(string(msg), `"result"`) {
		t.Errorf("%s %v", msg, err)
	}
	a.Close()
	s.Wait()
}

// TestEarlyServer: whatever a server says before it is asked anything harms nobody.
func TestEarlyServer(t *testing.T) {
	early := []string{
		`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}]`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	}
	srv := newServer("")
	dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		a, b := pipe.New(0)
		client := runtime.NewSession(context.WithoutCancel(ctx), a, inbound, runtime.Options{Logger: quiet})
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
		server := runtime.NewSession(context.WithoutCancel(ctx), b, srv, runtime.Options{Logger: quiet})
		return &bothEnds{client, server}, nil
	}
	c, err := mcp.Connect(t.Context(), dial, mcp.ClientOptions{Logger: quiet})
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
	c, err := mcp.Connect(t.Context(), s.dial, mcp.ClientOptions{Logger: quiet, Era: mcp.Handshake})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wanted := mcp.Changes{URIs: []string{"shop://a"}}
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
