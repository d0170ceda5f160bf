package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
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

// TestFailure: middleware sees a failure as the client sees it.
func TestFailure(t *testing.T) {
	misbehave := func(how string) string {
		return request("tools/call", `"name":"misbehave","arguments":{"how":"`+how+`"},`)
	}
	tool, internal := "{Tool:true Code:0 Cancelled:false NotFound:false}", "{Tool:false Code:-32603 Cancelled:false NotFound:false}"
	var seen []string
	srv := mcp.NewServer(&shop.Shop{Own: shop.OwnMethods{}}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{failures(&seen)}})
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
	s := &shop.Shop{Waiting: make(chan struct{})}
	srv := mcp.NewServer(s, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{note}})
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Era: mcp.Handshake, Logger: shop.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	defer c.Close()
	if result, err := c.CallTool(t.Context(), "place_order", shop.Raw(`{"sku":"A-1"}`)); err != nil || !result.IsError.Or(false) {
		t.Error(result, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.Waiting
		cancel()
	}()
	if _, err := c.CallTool(ctx, "misbehave", shop.Raw(`{"how":"wait"}`)); err != context.Canceled {
		t.Error(err)
	}
	for i, want := range []*mcp.Failure{nil, {Tool: true}, {Cancelled: true}} {
		if got := <-seen; !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %+v", i, got)
		}
	}
}

// TestLogs: one line says how a call failed; at the level error only what is the server's fault. What clients say and are told is in none.
func TestLogs(t *testing.T) {
	for _, c := range []struct{ params, debug, shown string }{
		{search, `level=DEBUG msg="served a request" method=tools/call name=search_items revision=2026-07-28`, ""},
		{`"name":"search_items","arguments":{"query":"x","limit":98765432101234},`, `error="invalid arguments: /limit (maximum)"`, ""},
		{`"name":"` + strings.Repeat("x", 5000) + `",`, "name=" + strings.Repeat("x", 100) + "... ", ""},
		{`"name":"search_items","arguments":{"query":"broken"},`, "", `level=ERROR msg="the result violates its schema" method=tools/call violations="/items: required: expected items"`},
		{`"name":"misbehave","arguments":{"how":"error"},`, "", `level=ERROR msg="the tool failed" tool=misbehave error="the password is 1234"`},
		{`"name":"misbehave","arguments":{"how":"panic"},`, "", `level=ERROR msg="the handler panicked" method=tools/call`},
	} {
		for level, want := range map[slog.Level]string{slog.LevelDebug: c.debug, slog.LevelInfo: c.shown} {
			var out bytes.Buffer
			log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
			d := runtime.NewDispatcher(mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: log}), runtime.Options{Logger: log})
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

// TestHandshakeWithoutID: an initialize without an id does not begin a session.
func TestHandshakeWithoutID(t *testing.T) {
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, newServer(""), runtime.Options{Logger: shop.Quiet})
	const initialize = `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	a.WriteFrame([]byte(`{"jsonrpc":"2.0",` + initialize))
	a.WriteFrame([]byte(`{"jsonrpc":"2.0","id":1,` + initialize))
	if msg, err := a.ReadFrame(); err != nil || !strings.Contains(string(msg), `"result"`) {
		t.Errorf("%s %v", msg, err)
	}
	a.Close()
	s.Wait()
}
