// Package workshop is a server of MCP whose tools do what transports have to cope with, and a client that sends it HTTP requests as they are
// written. It is for tests.
//
//test:by ./runtime/x/mcpcluster
package workshop

import (
	"context"
	"errors"
	"io"
	"log/slog"
	goruntime "runtime"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Quiet is a logger that logs nothing.
var Quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// Workshop is what generated code of a small schema would be, written by hand.
type Workshop struct {
	Server    *mcp.Server
	Begun     chan struct{}                    // gets a token when the tool wait has begun
	Cancelled chan error                       // gets what the tool wait ended with
	Declares  func(runtime.Condition) error    // may be nil
	Claims    func(ctx context.Context) string // that the tool whoami says; may be nil

	revisions []string
	sessions  atomic.Int64
}

// New returns a workshop, and its server, for revisions; for all if none are given.
func New(revisions ...string) *Workshop {
	w := &Workshop{revisions: revisions, Begun: make(chan struct{}, 2000), Cancelled: make(chan error, 2000)}
	w.Server = w.NewServer()
	return w
}

// NewServer returns a server of the workshop.
func (w *Workshop) NewServer() *mcp.Server {
	return mcp.NewServer(w, mcp.Options{Logger: Quiet, StateKeys: [][]byte{[]byte("a key of tests")}, OnSession: func(mcp.Caller) func() {
		w.sessions.Add(1)
		return func() { w.sessions.Add(-1) }
	}})
}

// Sessions returns how many sessions there are.
func (w *Workshop) Sessions() int { return int(w.sessions.Load()) }

const tools = `[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` +
	`{"name":"count","description":"Counts aloud.","inputSchema":{"type":"object"}},` +
	`{"name":"ask","description":"Asks the user.","inputSchema":{"type":"object"}},` +
	`{"name":"wait","description":"Waits.","inputSchema":{"type":"object"}},` +
	`{"name":"slow","description":"Takes a while.","inputSchema":{"type":"object"}},` +
	`{"name":"leave","description":"Closes its stream.","inputSchema":{"type":"object"}},` +
	`{"name":"flood","description":"Says much.","inputSchema":{"type":"object"}},` +
	`{"name":"whoami","description":"Says who calls.","inputSchema":{"type":"object"}},` +
	`{"name":"panic","description":"Panics.","inputSchema":{"type":"object"}}]`

// Info implements [mcp.Declarations].
func (w *Workshop) Info() *mcp.Info {
	return &mcp.Info{
		Name: "workshop", Version: "1", Revisions: w.revisions, Tools: tools,
		Resources: `[{"uri":"workshop://bench","name":"bench"}]`, Subscribe: true,
	}
}

// Condition implements [mcp.Declarations].
func (w *Workshop) Condition(c runtime.Condition) error {
	if w.Declares == nil {
		return nil
	}
	return w.Declares(c)
}

// Methods implements [mcp.Declarations].
func (*Workshop) Methods() runtime.Handler { return nil }

// GetPrompt implements [mcp.Declarations].
func (*Workshop) GetPrompt(_ context.Context, c *mcp.PromptCall) { c.NotFound("") }

// Complete implements [mcp.Declarations].
func (*Workshop) Complete(_ context.Context, c *mcp.CompleteCall) { c.Return(nil) }

// ReadResource implements [mcp.Declarations].
func (*Workshop) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound("") }

// CallTool implements [mcp.Declarations].
func (w *Workshop) CallTool(ctx context.Context, c *mcp.ToolCall) {
	var text string
	for c.Arguments() {
		var o wire.Members
		r := c.Reader()
		for r.Object(&o); r.More(&o); {
			r.KeyString(&o, 0, `"text":`, &text)
		}
	}
	if c.Answered() {
		return
	}
	switch c.Name() {
	case "echo":
		say(c, text)
	case "burst":
		w.Begun <- struct{}{}
		time.Sleep(50 * time.Millisecond)
		mcp.Progress(ctx, 1, 3, "")
		say(c, "bursted")
	case "count":
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "")
		}
		say(c, "counted")
	case "ask":
		w.ask(ctx, c)
	case "wait":
		w.Begun <- struct{}{}
		<-ctx.Done()
		w.Cancelled <- context.Cause(ctx)
		c.Fail(ctx.Err())
	case "slow":
		mcp.Progress(ctx, 1, 2, "")
		select {
		case <-time.After(time.Minute):
			say(c, "done")
		case <-ctx.Done():
			c.Fail(ctx.Err())
		}
	case "leave":
		if err := mcp.CloseStream(ctx); err != nil {
			c.Fail(err)
			return
		}
		time.Sleep(100 * time.Millisecond)
		say(c, "while you were out")
	case "flood":
		w.flood(ctx, c)
	case "whoami":
		claims := ""
		if w.Claims != nil {
			claims = w.Claims(ctx)
		}
		say(c, mcp.PrincipalFrom(ctx)+" "+claims)
	case "panic":
		panic("as asked")
	case "goexit":
		goruntime.Goexit()
	default:
		c.NotFound("echo")
	}
}

func (w *Workshop) ask(ctx context.Context, c *mcp.ToolCall) {
	var answer struct{ name form }
	err := mcp.ElicitForm(ctx, "name", "Who?", `{"type":"object","properties":{"name":{"type":"string"}}}`, &answer.name)
	if err != nil {
		c.Fail(err)
		return
	}
	say(c, "hello "+string(answer.name))
}

// flood tells more than any buffer on the way holds.
func (w *Workshop) flood(ctx context.Context, c *mcp.ToolCall) {
	line := make([]byte, 64<<10)
	for i := range line {
		line[i] = 'x'
	}
	w.Begun <- struct{}{}
	for i := range 300 {
		if err := mcp.Progress(ctx, float64(i+1), 0, string(line)); err != nil {
			w.Cancelled <- err
			c.Fail(err)
			return
		}
	}
	w.Cancelled <- errors.New("the flood was not stopped")
	say(c, "over")
}

type form string

// DecodeJSON implements [wire.Decoder].
func (f *form) DecodeJSON(r *wire.Reader) {
	var o wire.Members
	var s string
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"name":`, &s)
	}
	*f = form(s)
}

func say(c *mcp.ToolCall, text string) {
	b := wire.AppendString(append(c.Structured(), `{"said":`...), text)
	c.Return(append(b, '}'))
}
