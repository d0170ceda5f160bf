package everything

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// connectAt connects to a server in memory.
func connectAt(t *testing.T, srv *mcp.Server, o mcpclient.Options) *mcpclient.Client {
	conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), o)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestTaskOutcomes: what a task ends with is what a call would have answered.
func TestTaskOutcomes(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, beside *hearing) {
		beside.form = `{"confirm":true,"name":"Ann"}`
		deleting, err := c.StartConfirmDelete(t.Context(), conformance.ConfirmDeleteInput{Filename: "f"})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := deleting.Wait(t.Context()); err != nil || contentText(r) != "Deleted f: true" {
			t.Error(contentText(r), err)
		}
		multi, err := c.StartMultiInput(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r, err := multi.Wait(t.Context()); err != nil || contentText(r) != "Ann comes before Ann" {
			t.Error(contentText(r), err)
		}
		broken, err := c.StartProtocolErrorJob(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the outcome stays
			_, err = broken.Wait(t.Context())
			if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError || e.Message != "The job cannot be done" {
				t.Error(err)
			}
		}
		if err := c.FailingJob(t.Context()); !errors.As(err, new(*conformance.JobFailedError)) {
			t.Error("a task that its client waits for:", err)
		}
		if r, err := c.TestToolWithTask(t.Context()); err != nil || contentText(r) != "Hello, Ann!" {
			t.Error(contentText(r), err)
		}
		if r, err := c.SlowCompute(t.Context(), conformance.SlowComputeInput{}); err != nil || !strings.Contains(contentText(r), "took 0 seconds") {
			t.Error("a call without a task:", contentText(r), err)
		}
		if _, err := c.StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: -1}); !errors.As(err, new(*runtime.ParamsError)) {
			t.Error("arguments that break a rule:", err)
		}
	})
}

// TestTaskUpdates: a client follows the progress, cancels, and learns of it.
func TestTaskUpdates(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, beside *hearing) {
		task, err := c.StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: 100})
		if err != nil {
			t.Fatal(err)
		}
		short, err := c.StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: 2})
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for s, err := range short.Updates(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, string(s.Status)+" "+s.Message)
		}
		if all := strings.Join(messages, "\n"); !strings.Contains(all, "working 5 of 10") || !strings.HasPrefix(messages[len(messages)-1], "completed") {
			t.Error(all)
		}
		if r, err := short.Wait(t.Context()); err != nil || !strings.Contains(contentText(r), "took 2 seconds") {
			t.Error(contentText(r), err)
		}
		if s, err := task.Status(t.Context()); err != nil || s.Status != mcpclient.TaskWorking || s.TTL != time.Hour || s.Created.IsZero() {
			t.Error(s, err)
		}
		for range 2 {
			if err := task.Cancel(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if _, err := task.Wait(t.Context()); !errors.Is(err, mcpclient.ErrTaskCancelled) {
			t.Error(err)
		}
		beside.form = `{"confirm":true}`
		deleting, err := c.StartConfirmDelete(t.Context(), conformance.ConfirmDeleteInput{Filename: "f"})
		if err != nil {
			t.Fatal(err)
		}
		last := mcpclient.TaskState{}
		for s, err := range deleting.Updates(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			last = s
		}
		if last.Status != mcpclient.TaskCompleted {
			t.Error("a task that asks:", last)
		}
	})
}

// TestTaskAfterReconnect: a client starts a task, goes, comes back and gets the result.
func TestTaskAfterReconnect(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		srv := New(mcp.Options{Logger: quiet})
		o := mcpclient.Options{Era: era, Logger: quiet}
		first := connectAt(t, srv, o)
		task, err := conformance.NewClient(first).StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: 1, Label: runtime.Some("it")})
		if err != nil {
			t.Fatal(err)
		}
		id := task.ID()
		first.Close()
		if _, err := task.Wait(t.Context()); err == nil {
			t.Error("a task is waited for without a connection")
		}
		second := connectAt(t, srv, o)
		r, err := conformance.NewClient(second).SlowComputeTask(id).Wait(t.Context())
		if err != nil || contentText(r) != "it took 1 seconds" {
			t.Error(era, contentText(r), err)
		}
		raw, err := second.ToolTask(conformance.ToolSlowCompute, id).Wait(t.Context())
		if err != nil || contentText(raw) != "it took 1 seconds" {
			t.Error(era, contentText(raw), err)
		}
		if _, err := second.ToolTask("slow_compute", "forged").Wait(t.Context()); !errors.As(err, new(*runtime.Error)) {
			t.Error("a forged id:", err)
		}
		second.Close()
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestTaskLeft: a call that waits for its task cancels it when its context ends; a handle does not.
func TestTaskLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
			srv := New(mcp.Options{Logger: quiet})
			conn := connectAt(t, srv, mcpclient.Options{Era: era, Logger: quiet})
			task, err := conn.StartTool(t.Context(), "slow_compute", runtime.Raw{}) // the arguments lack seconds
			if err != nil {
				t.Fatal(err)
			}
			if r, err := task.Wait(t.Context()); err != nil || !r.IsError.Or(false) {
				t.Error(contentText(r), err)
			}
			typed := conformance.NewClient(conn)
			kept, err := typed.StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: 100})
			if err != nil {
				t.Fatal(err)
			}
			left, err := typed.StartSlowCompute(t.Context(), conformance.SlowComputeInput{Seconds: 100})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			var both sync.WaitGroup
			both.Go(func() { kept.Wait(ctx) })
			both.Go(func() { left.Run(ctx) })
			both.Wait()
			cancel()
			if s, err := kept.Status(t.Context()); err != nil || s.Status != mcpclient.TaskWorking {
				t.Error(era, s, err)
			}
			if s, err := left.Status(t.Context()); err != nil || s.Status != mcpclient.TaskCancelled {
				t.Error(era, s, err)
			}
			conn.Close()
			if err := srv.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
