package mcptask_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// plant is what generated code of a small schema would be, written by hand: tools that run as
// tasks.
type plant struct {
	name  string // empty means plant
	mu    sync.Mutex
	ended []string // why the contexts of the tool wait have ended
}

func (p *plant) Info() *mcp.Info {
	entry := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	all := []string{"echo", "wait", "steps", "refuse", "crash", "panic", "exit", "ask", "form", "long", "plain", "deep"}
	tasks := make(map[string]bool)
	for i, name := range all {
		if name != "plain" {
			tasks[name] = name == "refuse"
		}
		all[i] = entry(name)
	}
	return &mcp.Info{Name: cmp.Or(p.name, "plant"), Version: "1", Tools: "[" + strings.Join(all, ",") + "]", Tasks: tasks}
}

func (*plant) Condition(runtime.Condition) error                   { return nil }
func (*plant) Methods() runtime.Handler                            { return nil }
func (*plant) GetPrompt(_ context.Context, c *mcp.PromptCall)      { c.NotFound("") }
func (*plant) Complete(_ context.Context, c *mcp.CompleteCall)     { c.Return(nil) }
func (*plant) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound("") }

type refusal struct{}

func (refusal) Error() string              { return "no" }
func (refusal) ToolError() string          { return "Refused" }
func (refusal) AppendData(b []byte) []byte { return b }
func answer(c *mcp.ToolCall, text string) {
	c.Return(append(wire.AppendString(append(c.Structured(), `{"said":`...), text), '}'))
}
func form(message string) mcp.ElicitRequestFormParams {
	return mcp.ElicitRequestFormParams{Message: message}
}

func (p *plant) CallTool(ctx context.Context, c *mcp.ToolCall) {
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
	case "echo", "plain":
		answer(c, text)
	case "long":
		answer(c, strings.Repeat("x", 1<<17))
	case "wait":
		<-ctx.Done()
		p.mu.Lock()
		p.ended = append(p.ended, context.Cause(ctx).Error())
		p.mu.Unlock()
		c.Fail(ctx.Err())
	case "steps":
		for i := range 3 {
			time.Sleep(time.Second)
			mcp.Progress(ctx, float64(i+1), 3, text)
		}
		answer(c, "done")
	case "refuse":
		c.Fail(refusal{})
	case "crash":
		c.Fail(runtime.Answer(-32099, "crashed", wire.RawOf([]byte(`{"why":"heat"}`))))
	case "panic":
		panic("overheated")
	case "exit":
		goexit()
	case "ask":
		first, err := mcp.Elicit(ctx, "first", form("First?"))
		if err != nil {
			c.Fail(err)
			return
		}
		answer(c, string(first.Action))
	case "form":
		all := mcp.Ask(ctx)
		a, b := all.Elicit("a", form("A?")), all.Elicit("b", form("B?"))
		if err := all.Wait(); err != nil {
			c.Fail(err)
			return
		}
		answer(c, string(a.Result().Action)+" "+string(b.Result().Action))
	case "deep":
		mcp.Log(ctx, "info", "", wire.RawOf([]byte(`"a line"`)))
		answer(c, mcp.ClientOf(ctx).Name)
	default:
		c.NotFound("echo")
	}
}

// rig is a server and its tasks.
type rig struct {
	*plant
	t      *testing.T
	server *mcp.Server
}

func newRig(t *testing.T, o mcptask.Options) *rig {
	p := &plant{}
	r := &rig{p, t, mcp.NewServer(p, mcp.Options{Logger: quiet, Tasks: mcptask.New(o)})}
	return r
}

// end shuts the server down: afterwards no goroutine is left.
func (r *rig) end() {
	if err := r.server.Shutdown(context.Background()); err != nil {
		r.t.Error(err)
	}
}

const declared = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

const undeclared = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// as sends a stateless request of a principal.
func (r *rig) as(principal, method, members string) wire.Peek {
	ctx := context.Background()
	if principal != "" {
		ctx = mcp.WithPrincipal(ctx, principal)
	}
	if !strings.Contains(members, `"_meta"`) {
		members += "," + declared
	}
	msg := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + strings.TrimPrefix(members, ",") + `}}`
	return wire.PeekAt(runtime.NewDispatcher(r.server, runtime.Options{Logger: quiet}).Dispatch(ctx, nil, []byte(msg)))
}

// start starts a task and returns its id.
func (r *rig) start(principal, tool, text string) string {
	r.t.Helper()
	answer := r.as(principal, "tools/call", `"name":"`+tool+`","arguments":{"text":"`+text+`"}`)
	id, ok := answer.In("result").In("taskId").Text()
	if kind, _ := answer.In("result").In("resultType").Text(); !ok || kind != "task" {
		r.t.Fatalf("%s", answer.JSON())
	}
	return id
}

// get returns the state of a task once nothing more happens. It is for tests in a bubble.
func (r *rig) get(principal, id string) wire.Peek {
	synctest.Wait()
	return r.as(principal, "tasks/get", `"taskId":"`+id+`"`).In("result")
}

func text(p wire.Peek, path ...string) string {
	for _, name := range path {
		p = p.In(name)
	}
	s, ok := p.Text()
	if !ok {
		return string(p.JSON())
	}
	return s
}
