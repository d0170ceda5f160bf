package mcphttp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	goruntime "runtime"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// workshop is what generated code of a small schema would be, written by hand.
type workshop struct {
	revisions []string
	begun     chan struct{} // gets a token when the tool wait has begun
	cancelled chan error    // gets what the tool wait ended with
	server    *mcp.Server
	declares  func(runtime.Condition) error // may be nil
}

func newWorkshop(revisions ...string) *workshop {
	w := &workshop{revisions: revisions, begun: make(chan struct{}, 2000), cancelled: make(chan error, 2000)}
	w.server = w.newServer()
	return w
}

// newServer returns a server of the workshop.
func (w *workshop) newServer() *mcp.Server {
	return mcp.NewServer(w, mcp.Options{Logger: quiet, StateKeys: [][]byte{[]byte("a key of tests")}})
}

const workshopTools = `[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},` +
	`{"name":"count","description":"Counts aloud.","inputSchema":{"type":"object"}},` +
	`{"name":"ask","description":"Asks the user.","inputSchema":{"type":"object"}},` +
	`{"name":"wait","description":"Waits.","inputSchema":{"type":"object"}},` +
	`{"name":"slow","description":"Takes a while.","inputSchema":{"type":"object"}},` +
	`{"name":"leave","description":"Closes its stream.","inputSchema":{"type":"object"}},` +
	`{"name":"flood","description":"Says much.","inputSchema":{"type":"object"}},` +
	`{"name":"whoami","description":"Says who calls.","inputSchema":{"type":"object"}},` +
	`{"name":"panic","description":"Panics.","inputSchema":{"type":"object"}}]`

func (w *workshop) Info() *mcp.Info {
	return &mcp.Info{
		Name: "workshop", Version: "1", Revisions: w.revisions, Tools: workshopTools,
		Resources: `[{"uri":"workshop://bench","name":"bench"}]`, Subscribe: true,
	}
}

func (w *workshop) Condition(c runtime.Condition) error {
	if w.declares == nil {
		return nil
	}
	return w.declares(c)
}

func (*workshop) Methods() runtime.Handler                            { return nil }
func (*workshop) GetPrompt(_ context.Context, c *mcp.PromptCall)      { c.NotFound("") }
func (*workshop) Complete(_ context.Context, c *mcp.CompleteCall)     { c.Return(nil) }
func (*workshop) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound("") }

func (w *workshop) CallTool(ctx context.Context, c *mcp.ToolCall) {
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
	case "count":
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "")
		}
		say(c, "counted")
	case "ask":
		w.ask(ctx, c)
	case "wait":
		w.begun <- struct{}{}
		<-ctx.Done()
		w.cancelled <- context.Cause(ctx)
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
		claims, _ := ClaimsFrom(ctx).(string)
		say(c, mcp.PrincipalFrom(ctx)+" "+claims)
	case "panic":
		panic("as asked")
	case "goexit":
		goruntime.Goexit()
	default:
		c.NotFound("echo")
	}
}

func (w *workshop) ask(ctx context.Context, c *mcp.ToolCall) {
	var answer struct{ name form }
	err := mcp.ElicitForm(ctx, "name", "Who?", `{"type":"object","properties":{"name":{"type":"string"}}}`, &answer.name)
	if err != nil {
		c.Fail(err)
		return
	}
	say(c, "hello "+string(answer.name))
}

// flood tells more than any buffer on the way holds.
func (w *workshop) flood(ctx context.Context, c *mcp.ToolCall) {
	line := make([]byte, 64<<10)
	for i := range line {
		line[i] = 'x'
	}
	w.begun <- struct{}{}
	for i := range 1000 {
		if err := mcp.Progress(ctx, float64(i+1), 0, string(line)); err != nil {
			w.cancelled <- err
			c.Fail(err)
			return
		}
	}
	w.cancelled <- errors.New("the flood was not stopped")
	say(c, "over")
}

type form string

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
