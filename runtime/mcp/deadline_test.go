package mcp_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// slowShop is a shop whose tools have a timeout of five seconds.
type slowShop struct {
	shop.Shop
	handle func(ctx context.Context) (string, error)
}

func (s *slowShop) CallTool(ctx context.Context, c *mcp.ToolCall) {
	for c.Arguments() {
		c.Reader().Skip()
	}
	if c.Answered() {
		return
	}
	out, err := mcp.Within(ctx, c, 5*time.Second, s.handle)
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(append(wire.AppendString(append(c.Structured(), `{"out":`...), out), '}'))
}

// lateMethods declare an error for the condition timeout.
type lateMethods struct{ shop.OwnMethods }

func (lateMethods) Condition(c runtime.Condition) error {
	if c.Kind == when.Timeout {
		return runtime.Answer(77, fmt.Sprintf("%s was too slow: %s", c.Method, c.Timeout), runtime.Raw{})
	}
	return nil
}

const (
	callSlow     = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	tooLate      = `The tool did not answer within 5s.`
	tooLateError = `"io.github.rpcgen-go/error":{"name":"Timeout","data":{"timeoutMs":5000}}`
)

// TestToolTimeout calls tools that answer in time, at the deadline, after it, and never, outside of sessions. Each runs in a bubble.
func TestToolTimeout(t *testing.T) {
	for _, test := range []struct {
		name   string
		own    runtime.Handler
		handle func(ctx context.Context) (string, error)
		after  time.Duration // of the answer
		want   []string
		not    string
	}{
		{name: "in time", after: 4 * time.Second, want: []string{`"structuredContent":{"out":"done"}`}, not: "isError",
			handle: func(context.Context) (string, error) { time.Sleep(4 * time.Second); return "done", nil }},
		{name: "context", after: 5 * time.Second, want: []string{tooLate, `"isError":true`, tooLateError},
			handle: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }},
		{name: "deaf", after: 5 * time.Second, want: []string{tooLate, `"isError":true`, tooLateError}, not: "done",
			handle: func(context.Context) (string, error) { time.Sleep(time.Minute); return "done", nil }},
		{name: "declared", own: lateMethods{}, after: 5 * time.Second, want: []string{`"code":77`, "slow was too slow: 5s"}, not: "isError",
			handle: func(context.Context) (string, error) { time.Sleep(time.Minute); return "done", nil }},
		{name: "own deadline", after: time.Second, want: []string{"The tool failed."}, not: tooLate,
			handle: func(ctx context.Context) (string, error) {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				<-ctx.Done()
				return "", ctx.Err()
			}},
		{name: "panic", want: []string{`"code":-32603`}, not: "secret", handle: func(context.Context) (string, error) { panic("secret") }},
		{name: "late panic", after: 5 * time.Second, want: []string{tooLate}, not: "secret",
			handle: func(context.Context) (string, error) { time.Sleep(time.Minute); panic("secret") }},
		{name: "exit", want: []string{"The tool failed."}, handle: func(context.Context) (string, error) { goruntime.Goexit(); return "", nil }},
		{name: "late exit", after: 5 * time.Second, want: []string{tooLate},
			handle: func(context.Context) (string, error) { time.Sleep(time.Minute); goruntime.Goexit(); return "", nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := mcp.NewServer(&slowShop{shop.Shop{Own: test.own}, test.handle}, mcp.Options{Logger: shop.Quiet})
				d := runtime.NewDispatcher(srv, runtime.Options{Logger: shop.Quiet})
				start := time.Now()
				answer := string(d.Dispatch(t.Context(), nil, []byte(callSlow)))
				if took := time.Since(start); took != test.after {
					t.Errorf("it took %s", took)
				}
				for _, text := range test.want {
					if !strings.Contains(answer, text) {
						t.Errorf("%s lacks %s", answer, text)
					}
				}
				if test.not != "" && strings.Contains(answer, test.not) {
					t.Errorf("%s has %s", answer, test.not)
				}
				if err := srv.Shutdown(t.Context()); err != nil { // waits for the handler
					t.Error(err)
				}
			})
		})
	}
}

// TestToolTimeoutInSession calls a tool over a session, which goes on while its handler runs past the timeout.
func TestToolTimeoutInSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(&slowShop{handle: func(ctx context.Context) (string, error) {
			time.Sleep(time.Minute)
			if err := ctx.Err(); err == nil {
				t.Error("the context goes on")
			}
			if err := mcp.Progress(ctx, 1, 2, ""); !errors.Is(err, mcp.ErrOver) {
				t.Error("the request goes on:", err)
			}
			return "done", nil
		}}, mcp.Options{Logger: shop.Quiet})
		p := shop.NewPlayer(t, srv)
		defer p.Close()
		p.Say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		p.Say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
		p.Hear()
		time.Sleep(5*time.Second + 1)
		if heard := p.Hear(); !strings.Contains(heard, tooLate) || !strings.Contains(heard, `"id":1`) {
			t.Error(heard)
		}
		p.Say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if heard := p.Hear(); !strings.Contains(heard, `"id":2`) {
			t.Error(heard)
		}
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if heard := p.Hear(); heard != "" {
			t.Error("answered twice:", heard)
		}
	})
}

// TestOverdue lets many handlers run past their timeout: no more are started then, until one of them returns.
func TestOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(&slowShop{handle: func(context.Context) (string, error) { time.Sleep(time.Hour); return "", nil }}, mcp.Options{Logger: shop.Quiet})
		d := runtime.NewDispatcher(srv, runtime.Options{Logger: shop.Quiet})
		const most = 256
		answers := make(chan []byte, most)
		for range most {
			go func() { answers <- d.Dispatch(t.Context(), nil, []byte(callSlow)) }()
		}
		for range most {
			if answer := string(<-answers); !strings.Contains(answer, tooLate) {
				t.Fatal(answer)
			}
		}
		if answer := string(d.Dispatch(t.Context(), nil, []byte(callSlow))); !strings.Contains(answer, `"code":503`) {
			t.Error(answer)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := srv.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("handlers still run:", err)
		}
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if answer := string(d.Dispatch(t.Context(), nil, []byte(callSlow))); !strings.Contains(answer, tooLate) {
			t.Error(answer)
		}
		srv.Shutdown(t.Context())
	})
}
