package mcptask_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

func goexit() { goruntime.Goexit() }

// TestOutcomes: tasks/get gives what the call would have answered.
func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		for tool, want := range map[string]string{
			"echo":   "completed structuredContent.said=hi",
			"refuse": "completed isError=true",
			"crash":  "failed error.code=-32603", // -32099 is reserved
			"panic":  "failed error.code=-32603",
			"exit":   "failed error.message=Internal error: the tool did not answer",
			"deep":   "completed structuredContent.said=tester",
		} {
			got := r.get("", r.start("", tool, "hi"))
			status, fact, _ := strings.Cut(want, " ")
			path, value, _ := strings.Cut(fact, "=")
			if path != "" && status == "completed" {
				path = "result." + path
			}
			if text(got, "status") != status || text(got, strings.Split(path, ".")...) != value {
				t.Errorf("%s: %s", tool, got.JSON())
			}
			if (status == "completed") == got.Has("error") || (status == "failed") == got.Has("result") {
				t.Errorf("%s has both or neither: %s", tool, got.JSON())
			}
		}
	})
}

// TestWithoutTasks: clients that take no tasks, and tools that are none.
func TestWithoutTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		if got := r.as("", "tools/call", `"name":"echo","arguments":{"text":"hi"},`+undeclared); text(got, "result", "structuredContent", "said") != "hi" {
			t.Errorf("an optional task of a client without tasks: %s", got.JSON())
		}
		if got := r.as("", "tools/call", `"name":"plain","arguments":{"text":"hi"},"task":{"ttl":1}`); text(got, "result", "resultType") != "complete" {
			t.Errorf("a tool that is not a task: %s", got.JSON())
		}
		for _, method := range []string{"tools/call", "tasks/get", "tasks/update", "tasks/cancel"} {
			got := r.as("", method, `"name":"refuse","taskId":"x",`+undeclared)
			if text(got, "error", "code") != "-32021" || !got.In("error").In("data").In("requiredCapabilities").In("extensions").Has("io.modelcontextprotocol/tasks") {
				t.Errorf("%s: %s", method, got.JSON())
			}
		}
		for _, method := range []string{"tasks/list", "tasks/result"} {
			if got := r.as("", method, `"taskId":"x"`); text(got, "error", "code") != "-32601" {
				t.Errorf("%s: %s", method, got.JSON())
			}
		}
	})
}

// TestForeign: a principal learns nothing about the tasks of another, nor about ids that were made
// up.
func TestForeign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		id := r.start("ann", "wait", "")
		forged := strings.Repeat("A", len(id))
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			foreign := r.as("bob", method, `"taskId":"`+id+`","inputResponses":{}`)
			none := r.as("ann", method, `"taskId":"`+forged+`","inputResponses":{}`)
			anonymous := r.as("", method, `"taskId":"`+id+`","inputResponses":{}`)
			if text(foreign, "error", "code") != "-32602" || text(anonymous, "error", "code") != "-32602" ||
				strings.ReplaceAll(string(foreign.JSON()), id, forged) != string(none.JSON()) {
				t.Errorf("%s: %s\n%s", method, foreign.JSON(), none.JSON())
			}
		}
		if got := r.get("ann", id); text(got, "status") != "working" {
			t.Errorf("%s", got.JSON())
		}
	})
}

// TestCancel: cancelling ends the handler's context, and may be repeated.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		id := r.start("", "wait", "")
		for range 3 {
			got := r.as("", "tasks/cancel", `"taskId":"`+id+`"`).In("result")
			if text(got, "resultType") != "complete" || got.Has("taskId") {
				t.Errorf("%s", got.JSON())
			}
		}
		if got := r.get("", id); text(got, "status") != "cancelled" || got.Has("result") || got.Has("error") {
			t.Errorf("%s", got.JSON())
		}
		if len(r.ended) != 1 || !strings.Contains(r.ended[0], "cancelled") {
			t.Error(r.ended)
		}
		done := r.start("", "echo", "hi")
		r.get("", done)
		r.as("", "tasks/cancel", `"taskId":"`+done+`"`)
		if got := r.get("", done); text(got, "status") != "completed" {
			t.Errorf("a task that had ended: %s", got.JSON())
		}
	})
}

// TestExpiry: a task lives as long as its ttl says and no longer.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{TTL: time.Minute})
		defer r.end()
		done, waits := r.start("", "echo", "hi"), r.start("", "wait", "")
		time.Sleep(time.Minute - time.Millisecond)
		if got := r.get("", done); text(got, "status") != "completed" || text(got, "ttlMs") != "60000" {
			t.Errorf("%s", got.JSON())
		}
		time.Sleep(time.Millisecond)
		for _, id := range []string{done, waits} {
			synctest.Wait()
			if got := r.as("", "tasks/get", `"taskId":"`+id+`"`); text(got, "error", "code") != "-32602" {
				t.Errorf("%s", got.JSON())
			}
		}
		if len(r.ended) != 1 || !strings.Contains(r.ended[0], "expired") {
			t.Error(r.ended)
		}
	})
}

// TestProgress: reports become the state of the task, the last one too.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		id := r.start("", "steps", "counted")
		for _, want := range []string{"null", "counted (1 of 3)", "counted (2 of 3)"} {
			got := r.get("", id)
			if s := text(got, "statusMessage"); s != want && !(want == "null" && s == "") {
				t.Errorf("got %s, want %s", s, want)
			}
			time.Sleep(1100 * time.Millisecond)
		}
		if got := r.get("", id); text(got, "status") != "completed" || text(got, "result", "structuredContent", "said") != "done" {
			t.Errorf("%s", got.JSON())
		}
	})
}

// TestInput: questions wait in the task, and each is answered once.
func TestInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		id := r.start("", "form", "")
		got := r.get("", id)
		if text(got, "status") != "input_required" || text(got, "inputRequests", "a", "method") != "elicitation/create" || text(got, "inputRequests", "b", "params", "message") != "B?" {
			t.Fatalf("%s", got.JSON())
		}
		update := func(responses string) {
			t.Helper()
			if got := r.as("", "tasks/update", `"taskId":"`+id+`","inputResponses":`+responses); text(got, "result", "resultType") != "complete" {
				t.Errorf("%s", got.JSON())
			}
		}
		update(`{"a":{"action":"accept"},"c":{"action":"accept"}}`)
		if got := r.get("", id); text(got, "status") != "input_required" || got.In("inputRequests").Has("a") || !got.In("inputRequests").Has("b") {
			t.Errorf("%s", got.JSON())
		}
		update(`{"a":{"action":"cancel"}}`) // it was answered already
		update(`{"b":{"action":"decline"}}`)
		if got := r.get("", id); text(got, "status") != "completed" || text(got, "result", "structuredContent", "said") != "accept decline" {
			t.Errorf("%s", got.JSON())
		}
		update(`{"b":{"action":"accept"}}`) // the task has ended
		wrong := r.start("", "ask", "")
		r.get("", wrong)
		r.as("", "tasks/update", `"taskId":"`+wrong+`","inputResponses":{"first":{"action":7}}`)
		if got := r.get("", wrong); text(got, "status") != "completed" || text(got, "result", "isError") != "true" {
			t.Errorf("an answer that does not fit: %s", got.JSON())
		}
		if got := r.as("", "tasks/update", `"taskId":"`+wrong+`"`); text(got, "error", "code") != "-32602" {
			t.Errorf("without answers: %s", got.JSON())
		}
	})
}

// TestLimits: a client cannot keep more than its share, and a result that does not fit fails its
// task.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{TTL: time.Minute, Store: mcptask.NewMemory(mcptask.MemoryOptions{MaxTasks: 4, MaxTasksPerOwner: 2, MaxBytes: 1 << 18})})
		defer r.end()
		r.start("ann", "echo", "1")
		r.start("ann", "echo", "2")
		if got := r.as("ann", "tools/call", `"name":"echo"`); text(got, "error", "code") != "503" || !strings.Contains(text(got, "error", "message"), "2") {
			t.Errorf("the third of ann: %s", got.JSON())
		}
		if got := r.get("bob", r.start("bob", "long", "")); text(got, "status") != "failed" || !strings.Contains(text(got, "statusMessage"), "no room for its result: this server keeps at most") {
			t.Errorf("a large result: %.300s", got.JSON())
		}
		r.start("eve", "echo", "")
		if got := r.as("kim", "tools/call", `"name":"echo"`); text(got, "error", "code") != "503" {
			t.Errorf("the fifth of all: %s", got.JSON())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		r.start("ann", "echo", "3")
	})
}

// TestShutdown: tasks end with their server.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		id := r.start("", "wait", "")
		r.end()
		if got := r.get("", id); text(got, "status") != "failed" {
			t.Errorf("%s", got.JSON())
		}
		if got := r.as("", "tools/call", `"name":"echo"`); text(got, "error", "code") != "503" {
			t.Errorf("a task after the end: %s", got.JSON())
		}
	})
}

// TestCrowd runs 1,000 tasks of one client at once, each of which asks, reports or is cancelled.
func TestCrowd(t *testing.T) {
	r := newRig(t, mcptask.Options{})
	defer r.end()
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			if err := r.visit(i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// visit runs one task to its end.
func (r *rig) visit(i int) error {
	tool, want := []string{"echo", "ask", "wait", "refuse"}[i%4], "completed"
	id := r.start("ann", tool, "")
	for range 10_000 {
		got := r.as("ann", "tasks/get", `"taskId":"`+id+`"`).In("result")
		switch status := text(got, "status"); {
		case status == "input_required":
			r.as("ann", "tasks/update", `"taskId":"`+id+`","inputResponses":{"first":{"action":"accept"}}`)
		case status == "working" && tool == "wait":
			want = "cancelled"
			r.as("ann", "tasks/cancel", `"taskId":"`+id+`"`)
		case status == want:
			return nil
		case status != "working":
			return fmt.Errorf("%s ended as %s", tool, got.JSON())
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("the task %s of %s does not end", id, tool)
}

// TestValues: a task keeps the values that middleware has put into the context, and its middleware
// runs once.
func TestValues(t *testing.T) {
	type key struct{}
	calls := 0
	p := &valued{}
	o := mcp.Options{Logger: quiet, Tasks: mcptask.New(mcptask.Options{}), Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			calls++
			return next(context.WithValue(ctx, key{}, "from middleware"), q)
		}
	}}}
	p.see = func(ctx context.Context) { p.seen, _ = ctx.Value(key{}).(string) }
	server := mcp.NewServer(p, o)
	msg := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo",` + declared + `}}`
	ctx, cancel := context.WithCancel(context.Background())
	runtime.NewDispatcher(server, runtime.Options{Logger: quiet}).Dispatch(ctx, nil, []byte(msg))
	cancel()
	if err := server.Shutdown(context.Background()); err != nil || p.seen != "from middleware" || calls != 1 {
		t.Error(err, p.seen, calls)
	}
}

// valued looks at the context of its handlers.
type valued struct {
	plant
	see  func(context.Context)
	seen string
}

func (v *valued) CallTool(ctx context.Context, c *mcp.ToolCall) {
	v.see(ctx)
	v.plant.CallTool(ctx, c)
}

// TestListen: a client that subscribes to a task gets its state whenever it changes, and nothing of
// the tasks of others.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, mcptask.Options{})
		defer r.end()
		own, foreign := r.start("", "form", ""), r.start("ann", "form", "")
		r.get("", own)
		p := &peer{Player: shop.NewPlayer(t, r.server), t: t}
		defer p.Close()
		listen := func(id, meta string) {
			p.ask(id, "subscriptions/listen", `"notifications":{"taskIds":["`+own+`","`+foreign+`","forged"]},`+meta)
		}
		listen("without", undeclared)
		if got := p.answer("without"); text(got, "error", "code") != "-32021" {
			t.Errorf("%s", got.JSON())
		}
		listen("with", declared)
		agreed := p.sent("notifications/subscriptions/acknowledged")
		if len(agreed) != 1 || text(agreed[0], "params", "notifications", "taskIds") != `["`+own+`"]` {
			t.Fatal(len(agreed))
		}
		r.as("", "tasks/update", `"taskId":"`+own+`","inputResponses":{"a":{"action":"accept"}}`)
		p.take()
		r.as("ann", "tasks/cancel", `"taskId":"`+foreign+`"`)
		r.as("", "tasks/update", `"taskId":"`+own+`","inputResponses":{"b":{"action":"accept"}}`)
		notes := p.sent("notifications/tasks")
		if len(notes) < 2 {
			t.Fatal(len(notes))
		}
		for _, n := range notes {
			if text(n, "params", "taskId") != own || text(n, "params", "_meta", "io.modelcontextprotocol/subscriptionId") != "with" {
				t.Errorf("%s", n.JSON())
			}
		}
		if n := notes[0]; text(n, "params", "status") != "input_required" || n.In("params").In("inputRequests").Has("a") {
			t.Errorf("%s", n.JSON())
		}
		if n := notes[len(notes)-1]; text(n, "params", "status") != "completed" || text(n, "params", "result", "structuredContent", "said") != "accept accept" {
			t.Errorf("%s", n.JSON())
		}
	})
}

// TestEndedElsewhere: a handler whose task another process has ended is cancelled, and its outcome is dropped.
func TestEndedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mcptask.NewMemory(mcptask.MemoryOptions{})
		r := newRig(t, mcptask.Options{Store: store})
		defer r.end()
		id := r.start("ann", "wait", "")
		synctest.Wait()
		_, err := store.Change(context.Background(), id, func(r *mcptask.Record) error {
			r.Status, r.Error = mcptask.Failed, []byte(`{"code":-32603,"message":"gone"}`)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if state := r.get("ann", id); text(state, "status") != "failed" || text(state, "error", "message") != "gone" {
			t.Errorf("%s", state.JSON())
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if !slices.Equal(r.ended, []string{"another process has ended the task"}) {
			t.Errorf("got %q", r.ended)
		}
	})
}
