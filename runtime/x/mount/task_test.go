package mount_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// counting has tools that can run as tasks, and one that runs as nothing else.
type counting struct {
	toolbox.UnimplementedServer
	count func(ctx context.Context) (int32, error)
}

func (c counting) CountStock(ctx context.Context, _ toolbox.CountStockInput) (out toolbox.CountStockOutput, err error) {
	out.Counted, err = c.count(ctx)
	return out, err
}

func (c counting) Introduce(ctx context.Context, _ toolbox.Choice) ([]mcp.ContentBlock, error) {
	n, err := c.count(ctx)
	return []mcp.ContentBlock{&mcp.TextContent{Text: fmt.Sprint("item ", n) + strings.Repeat("!", int(max(0, n-100)))}}, err
}

// tasks are those of a server that clients ask often.
func tasks() mcp.Tasks { return mcptask.New(mcptask.Options{PollInterval: 10 * time.Millisecond}) }

// tasked is a client of a server that passes tasks on to another one.
type tasked struct {
	*mcpclient.Client
	old *dying
}

// passed runs a test for both ways in which tools are passed on, and each pair of revisions with tasks.
func passed(t *testing.T, count func(ctx context.Context) (int32, error), test func(t *testing.T, c tasked)) {
	revisions := []string{mcp.Revision20251125, mcp.Revision20260728}
	for _, mounted := range []bool{true, false} {
		for _, up := range revisions {
			for _, client := range revisions {
				t.Run(fmt.Sprintf("mounted %t %s %s", mounted, up, client), func(t *testing.T) {
					logger := office.Options.Logger
					old := toolbox.NewServer(counting{count: count}, mcp.Options{Logger: logger, Tasks: tasks()})
					d := &dying{dial: dialNarrow(old)}
					all, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: logger}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{up}, Timeout: 20 * time.Second})
					if err != nil {
						t.Fatal(err)
					}
					var s *mcp.Server
					if mounted {
						s = rpc.NewServer(rpc.UnimplementedServer{}, mcp.Options{Logger: logger, Dynamic: all, Tasks: tasks()})
					} else {
						s = toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: logger, Dynamic: all, Tasks: tasks(), Middleware: []mcp.Middleware{all.PassOn}})
					}
					t.Cleanup(func() { s.Shutdown(context.Background()); all.Close(); s.Close(); old.Close() })
					ready(t, all)
					c := office.Connect(t, mcpclient.InMemory(s), client)
					test(t, tasked{c.Client, d})
				})
			}
		}
	}
}

var noArguments = runtime.Raw{}

// TestTaskPassedOn: a task runs as a task of the other server. Its progress is in its state, its questions reach the client, and the client has its
// result, or its error, as from that server.
func TestTaskPassedOn(t *testing.T) {
	var unseen atomic.Bool // the client has not seen the progress, and waits for it
	count := func(ctx context.Context) (int32, error) {
		if err := mcp.Progress(ctx, 3, 100, "counting"); err != nil {
			return 0, err
		}
		await.Until(t, "the task is seen", func() bool { return !unseen.Load() })
		r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
		if err == nil && r.Action != "accept" {
			err = errors.New("not sure")
		}
		return 7, err
	}
	passed(t, count, func(t *testing.T, c tasked) {
		unseen.Store(true)
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		var states []string
		for state, err := range task.Updates(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, string(state.Status)+" "+state.Message)
			unseen.Store(!strings.Contains(strings.Join(states, "\n"), " counting (3 of 100)"))
		}
		for _, want := range []string{" counting (3 of 100)", "completed "} {
			if !strings.Contains(strings.Join(states, "\n"), want) {
				t.Errorf("%q, want %q", states, want)
			}
		}
		result, err := task.Wait(t.Context())
		if err != nil || !strings.Contains(said(result), `{"counted":7}`) {
			t.Error(said(result), err)
		}
		if result.Meta != nil && c.Era() == mcp.Stateless && len(result.Meta.Extra) > 0 {
			t.Errorf("the client learns of the other server's task: %v", result.Meta.Extra)
		}
		only, err := c.StartTool(t.Context(), "introduce", mcpdynamic.JSON(`{"sku":"ABC-1234"}`))
		if err != nil {
			t.Fatal(err)
		}
		if result, err := only.Wait(t.Context()); err != nil || said(result) != "item 7" {
			t.Error(said(result), err)
		}
		if result, err := c.CallTool(t.Context(), "count_stock", noArguments); err != nil || !strings.Contains(said(result), `{"counted":7}`) {
			t.Error("without a task:", said(result), err)
		}
	})
}

// TestTaskFails: a task of the other server that fails is one of the client that fails.
func TestTaskFails(t *testing.T) {
	fails := func(context.Context) (int32, error) {
		return 0, &toolbox.ClosedError{Until: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	passed(t, fails, func(t *testing.T, c tasked) {
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := task.Wait(t.Context()); err != nil || !result.IsError.Or(false) {
			t.Error(said(result), err)
		}
	})
}

// TestTaskTooLarge: a task of the other server whose result is over the limit ends, and says so.
func TestTaskTooLarge(t *testing.T) {
	many := func(context.Context) (int32, error) { return 100_000, nil }
	passed(t, many, func(t *testing.T, c tasked) {
		task, err := c.StartTool(t.Context(), "introduce", mcpdynamic.JSON(`{"sku":"ABC-1234"}`))
		if err != nil {
			t.Fatal(err)
		}
		if result, err := task.Wait(t.Context()); !result.IsError.Or(false) || !strings.Contains(said(result), "larger than a message") {
			t.Error(said(result), err)
		}
		if c.old.made != 1 {
			t.Errorf("%d connections", c.old.made)
		}
	})
}

// TestTaskCancelled: cancelling a task cancels that of the other server. Meanwhile calls of others are served.
func TestTaskCancelled(t *testing.T) {
	begun, ended := make(chan bool, 1), make(chan bool, 1)
	waits := func(ctx context.Context) (int32, error) {
		begun <- true
		<-ctx.Done()
		ended <- true
		return 0, ctx.Err()
	}
	passed(t, waits, func(t *testing.T, c tasked) {
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		if _, err := c.CallTool(t.Context(), "find_item", noArguments); errors.Is(err, context.DeadlineExceeded) {
			t.Error("a call waits for the task:", err)
		}
		if err := task.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the task of the other server goes on")
		}
		if _, err := task.Wait(t.Context()); !errors.Is(err, mcpclient.ErrTaskCancelled) {
			t.Error(err)
		}
	})
}

// TestTaskReconnects: a task goes on when the connection to its server is lost, which keeps it. It is not begun again.
func TestTaskReconnects(t *testing.T) {
	begun, release := make(chan bool, 2), make(chan bool)
	waits := func(ctx context.Context) (int32, error) {
		begun <- true
		err := mcp.Progress(ctx, 1, 2, "counting")
		<-release
		return 7, err
	}
	passed(t, waits, func(t *testing.T, c tasked) {
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		await.Until(t, "the task is one of both servers", func() bool {
			state, err := task.Status(t.Context())
			return err == nil && state.Message == "counting (1 of 2)"
		})
		c.old.die()
		await.Until(t, "another connection is made", func() bool {
			c.old.mu.Lock()
			defer c.old.mu.Unlock()
			return c.old.made == 2
		})
		release <- true
		if result, err := task.Wait(t.Context()); err != nil || !strings.Contains(said(result), `{"counted":7}`) || len(begun) > 0 {
			t.Error(said(result), err, len(begun))
		}
	})
}

// TestTaskAndQuestion: while a task runs, a question of another call reaches the client, whose tasks name themselves in theirs.
func TestTaskAndQuestion(t *testing.T) {
	release := make(chan bool)
	var calls atomic.Int32
	count := func(ctx context.Context) (int32, error) {
		if calls.Add(1) == 1 {
			err := mcp.Progress(ctx, 1, 2, "counting")
			<-release
			return 1, err
		}
		_, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
		return 2, err
	}
	passed(t, count, func(t *testing.T, c tasked) {
		calls.Store(0)
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the task is one of both servers", func() bool {
			state, err := task.Status(t.Context())
			return err == nil && state.Message == "counting (1 of 2)"
		})
		if result, err := c.CallTool(t.Context(), "count_stock", noArguments); err != nil || !strings.Contains(said(result), `{"counted":2}`) {
			t.Error(said(result), err)
		}
		release <- true
		if result, err := task.Wait(t.Context()); err != nil || !strings.Contains(said(result), `{"counted":1}`) {
			t.Error(said(result), err)
		}
	})
}

// TestTaskLost: a server that does not know the task over the next connection has lost it, and the client learns that.
func TestTaskLost(t *testing.T) {
	begun, release := make(chan bool, 2), make(chan bool)
	waits := func(ctx context.Context) (int32, error) {
		begun <- true
		err := mcp.Progress(ctx, 1, 2, "counting")
		<-release
		return 7, err
	}
	passed(t, waits, func(t *testing.T, c tasked) {
		task, err := c.StartTool(t.Context(), "count_stock", noArguments)
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		await.Until(t, "the task is one of both servers", func() bool {
			state, err := task.Status(t.Context())
			return err == nil && state.Message == "counting (1 of 2)"
		})
		next := toolbox.NewServer(counting{count: waits}, mcp.Options{Logger: office.Options.Logger, Tasks: tasks()})
		t.Cleanup(func() { next.Close() })
		c.old.mu.Lock()
		c.old.dial = dialNarrow(next)
		c.old.mu.Unlock()
		c.old.die()
		if result, err := task.Wait(t.Context()); err != nil || !strings.Contains(said(result), "has lost the task. It may have been carried out.") || len(begun) > 0 {
			t.Error(said(result), err, len(begun))
		}
		release <- true
	})
}
