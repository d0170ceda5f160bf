package mcptask_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// peer is the client of a session.
type peer struct {
	*shop.Player
	t     *testing.T
	heard []wire.Peek
}

func newPeer(r *rig, revision string) *peer {
	p := &peer{Player: shop.NewPlayer(r.t, r.server), t: r.t}
	p.Say(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}}}`)
	p.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.take()
	return p
}

// take keeps what has arrived.
func (p *peer) take() {
	for line := range strings.Lines(p.Hear()) {
		p.heard = append(p.heard, wire.PeekAt([]byte(line)))
	}
}

// ask sends a request without waiting for its answer.
func (p *peer) ask(id, method, params string) {
	p.Say(`{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `","params":{` + params + `}}`)
	p.take()
}

// answer returns the answer to a request, which is empty until it is there.
func (p *peer) answer(id string) (found wire.Peek) {
	p.take()
	for _, m := range p.heard {
		if got, _ := m.In("id").Text(); got == id && !m.Has("method") {
			found = m
		}
	}
	return found
}

// call sends a request and returns its answer.
func (p *peer) call(method, params string) wire.Peek {
	p.t.Helper()
	p.heard = nil
	p.ask("r", method, params)
	got := p.answer("r")
	if got.Kind() != wire.Object {
		p.t.Fatalf("%s is not answered", method)
	}
	return got
}

// start starts a task and returns its id.
func (p *peer) start(tool, said string) string {
	p.t.Helper()
	got := p.call("tools/call", `"name":"`+tool+`","arguments":{"text":"`+said+`"},"task":{"ttl":60000}`)
	id, ok := got.In("result").In("task").In("taskId").Text()
	if !ok {
		p.t.Fatalf("%s", got.JSON())
	}
	return id
}

// sent returns the messages with a method that have arrived.
func (p *peer) sent(method string) (all []wire.Peek) {
	p.take()
	for _, m := range p.heard {
		if text(m, "method") == method {
			all = append(all, m)
		}
	}
	return all
}

// TestSession: the tasks of revision 2025-11-25.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{PollInterval: 5 * time.Second})
		defer r.end()
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		id := p.start("echo", "hi")
		got := p.call("tasks/get", `"taskId":"`+id+`"`).In("result")
		if text(got, "status") != "completed" || text(got, "ttl") != "60000" || text(got, "pollInterval") != "5000" || got.Has("result") || got.Has("ttlMs") {
			t.Errorf("%s", got.JSON())
		}
		got = p.call("tasks/result", `"taskId":"`+id+`"`).In("result")
		if text(got, "structuredContent", "said") != "hi" || text(got, "_meta", "io.modelcontextprotocol/related-task", "taskId") != id || got.Has("resultType") {
			t.Errorf("%s", got.JSON())
		}
		refused := p.start("refuse", "")
		if got := p.call("tasks/get", `"taskId":"`+refused+`"`); text(got, "result", "status") != "failed" {
			t.Errorf("a tool error: %s", got.JSON())
		}
		if got := p.call("tasks/result", `"taskId":"`+refused+`"`).In("result"); text(got, "isError") != "true" ||
			text(got, "_meta", mcp.MetaError, "name") != "Refused" || !got.In("_meta").Has("io.modelcontextprotocol/related-task") {
			t.Errorf("a tool error: %s", got.JSON())
		}
		if got := p.call("tasks/result", `"taskId":"`+p.start("crash", "")+`"`); text(got, "error", "code") != "-32603" {
			t.Errorf("a protocol error: %s", got.JSON())
		}
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			if got := p.call(method, `"taskId":"forged"`); text(got, "error", "code") != "-32602" {
				t.Errorf("%s: %s", method, got.JSON())
			}
		}
		if got := p.call("tasks/update", `"taskId":"`+id+`","inputResponses":{}`); text(got, "error", "code") != "-32601" {
			t.Errorf("%s", got.JSON())
		}
	})
}

// TestSessionSupport: who may and who has to ask for a task.
func TestSessionSupport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		for call, want := range map[string]string{
			`"name":"echo","arguments":{"text":"hi"}`: "hi",
			`"name":"plain","task":{}`:                "-32601",
			`"name":"refuse"`:                         "-32601",
			`"name":"none","task":{}`:                 "-32602",
		} {
			got := p.call("tools/call", call)
			if text(got, "error", "code") != want && text(got, "result", "structuredContent", "said") != want {
				t.Errorf("%s: %s", call, got.JSON())
			}
		}
		old := newPeer(r, mcp.Revision20250618)
		defer old.Close()
		if got := old.call("tools/call", `"name":"echo","arguments":{"text":"hi"},"task":{}`); text(got, "result", "structuredContent", "said") != "hi" {
			t.Errorf("a session without tasks: %s", got.JSON())
		}
		if got := old.call("tasks/get", `"taskId":"x"`); text(got, "error", "code") != "-32601" {
			t.Errorf("a session without tasks: %s", got.JSON())
		}
	})
}

// TestSessionCancel: a task that has ended cannot be cancelled, and the session is notified of
// each status.
func TestSessionCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		id := p.start("wait", "")
		got := p.call("tasks/cancel", `"taskId":"`+id+`"`)
		if text(got, "result", "status") != "cancelled" || text(got, "result", "taskId") != id {
			t.Errorf("%s", got.JSON())
		}
		notes := p.sent("notifications/tasks/status")
		if len(notes) != 1 || text(notes[0], "params", "status") != "cancelled" || text(notes[0], "params", "taskId") != id {
			t.Error(len(notes))
		}
		if got := p.call("tasks/cancel", `"taskId":"`+id+`"`); text(got, "error", "code") != "-32602" {
			t.Errorf("%s", got.JSON())
		}
		if got := p.call("tasks/result", `"taskId":"`+id+`"`); !got.Has("error") {
			t.Errorf("%s", got.JSON())
		}
	})
}

// TestSessionInput: the client is asked while it waits for the result, in another session than the
// one that began the task.
func TestSessionInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		first := newPeer(r, mcp.Revision20251125)
		id := first.start("form", "")
		if got := first.call("tasks/get", `"taskId":"`+id+`"`); text(got, "result", "status") != "input_required" {
			t.Errorf("%s", got.JSON())
		}
		if len(first.sent("elicitation/create")) != 0 {
			t.Error("the client is asked before it waits")
		}
		first.Close()
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		p.ask("result", "tasks/result", `"taskId":"`+id+`"`)
		for i, action := range []string{"accept", "decline"} {
			asked := p.sent("elicitation/create")
			if len(asked) != i+1 || text(asked[i], "params", "_meta", "io.modelcontextprotocol/related-task", "taskId") != id {
				t.Fatal(len(asked))
			}
			p.Say(`{"jsonrpc":"2.0","id":` + text(asked[i], "id") + `,"result":{"action":"` + action + `"}}`)
		}
		if got := p.answer("result").In("result"); text(got, "structuredContent", "said") != "accept decline" {
			t.Errorf("%s", got.JSON())
		}
		refused := p.start("ask", "")
		p.ask("refused", "tasks/result", `"taskId":"`+refused+`"`)
		asked := p.sent("elicitation/create")
		p.Say(`{"jsonrpc":"2.0","id":` + text(asked[0], "id") + `,"error":{"code":-1,"message":"the user has left"}}`)
		if got := p.answer("refused").In("result"); text(got, "isError") != "true" {
			t.Errorf("%s", got.JSON())
		}
	})
}

// TestSessionList: a session lists its own tasks, a principal all of its own.
func TestSessionList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{PageSize: 2})
		defer r.end()
		p, other := newPeer(r, mcp.Revision20251125), newPeer(r, mcp.Revision20251125)
		defer p.Close()
		defer other.Close()
		want := []string{p.start("echo", "1"), p.start("echo", "2"), p.start("echo", "3")}
		other.start("echo", "4")
		var ids []string
		cursor := ""
		for range 5 {
			page := p.call("tasks/list", cursor).In("result")
			for one := range page.In("tasks").Elements() {
				ids = append(ids, text(one, "taskId"))
			}
			next, more := page.In("nextCursor").Text()
			if !more {
				break
			}
			cursor = `"cursor":"` + next + `"`
		}
		if strings.Join(ids, " ") != strings.Join(want, " ") {
			t.Error(ids, want)
		}
		if got := other.call("tasks/list", cursor); text(got, "error", "code") != "-32602" {
			t.Errorf("a cursor of another session: %s", got.JSON())
		}
		if got := other.call("tasks/get", `"taskId":"`+want[0]+`"`); text(got, "result", "status") != "completed" {
			t.Errorf("the id is what gives access without principals: %s", got.JSON())
		}
	})
}

// TestSessionProgress: progress is sent to the session as well, for as long as the task runs.
func TestSessionProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		p.call("tools/call", `"name":"steps","task":{},"_meta":{"progressToken":"p"}`)
		p.call("tools/call", `"name":"deep","task":{}`)
		time.Sleep(4 * time.Second)
		notes := p.sent("notifications/progress")
		if len(notes) != 3 || text(notes[2], "params", "progress") != "3" || text(notes[2], "params", "progressToken") != "p" {
			t.Error(len(notes))
		}
		if logged := p.sent("notifications/message"); len(logged) != 1 {
			t.Error(len(logged))
		}
	})
}

// TestWaiters: many requests wait for one result, and all of them end with the server.
func TestWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		p := newPeer(r, mcp.Revision20251125)
		defer p.Close()
		id := p.start("wait", "")
		for _, n := range []string{"a", "b", "c"} {
			p.ask(n, "tasks/result", `"taskId":"`+id+`"`)
		}
		if err := r.server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		for _, n := range []string{"a", "b", "c"} {
			if got := p.answer(n); !got.Has("error") {
				t.Errorf("%s", got.JSON())
			}
		}
	})
}
