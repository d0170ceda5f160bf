package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// tasked has a tool that runs as tasks only.
type tasked struct {
	toolbox.UnimplementedServer
	begun, ended atomic.Int64
}

// Introduce takes a time of a bubble.
func (s *tasked) Introduce(_ context.Context, _ toolbox.Choice) ([]mcp.ContentBlock, error) {
	defer s.ended.Add(1)
	n := s.begun.Add(1)
	time.Sleep(50 * time.Millisecond)
	if n > 4 && n%10 == 0 {
		return nil, errors.New("sold out")
	}
	return []mcp.ContentBlock{&mcp.TextContent{Text: "an item"}}, nil
}

// TestTasks: a call that runs as a task counts once, when the task has ended, and takes until then; it fails if the task does, and the rate is kept
// meanwhile.
func TestTasks(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		synctest.Test(t, func(t *testing.T) {
			quiet, tools := slog.New(slog.NewTextHandler(io.Discard, nil)), new(tasked)
			server := toolbox.NewServer(tools, mcp.Options{Logger: quiet, Tasks: mcptask.New(mcptask.Options{PollInterval: 10 * time.Millisecond})})
			defer server.Close()
			client, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(server), mcpclient.Options{Logger: quiet, Era: era})
			if err != nil {
				t.Fatal(err)
			}
			p := &plan{workers: 16, duration: 2 * time.Second, grace: time.Hour, rate: 100, answers: newAnswers(), peers: []Peer{&mcpPeer{client}}}
			defer p.peers[0].Close()
			listed, err := remote.ListTools(t.Context(), client, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if p.calls, _, err = (&choice{tool: "introduce", vary: 1, seed: 1, allowDestructive: true}).pool(listed); err != nil {
				t.Fatal(err)
			}
			p.calls[0].target.readOnly = true
			p.calls[0].target.tasks.Store(era == mcp.Handshake) // stateless servers say it when the tool is called
			if _, failed, reason, err := prove(t.Context(), p.peers[0], p.calls, p.answers, time.Hour); failed > 0 || err != nil {
				t.Fatal(reason, err)
			}
			proved := tools.begun.Load()
			counted, took := p.run(t.Context())
			r := newReport("test", p, counted, took)
			for _, l := range []latency{r.Response, r.Service} {
				if l.P50 < int64(49*time.Millisecond) || l.Max > int64(80*time.Millisecond) {
					t.Errorf("%v: the latencies are %+v", era, l)
				}
			}
			if made := tools.begun.Load() - proved; r.Calls != 200 || made != 200 || tools.ended.Load() != tools.begun.Load() || !r.good() || len(r.Apart) > 0 {
				t.Errorf("%v: %d calls were counted, %d made, %s, %v, %v", era, r.Calls, made, r.Invalid, r.Wrong, r.Apart)
			}
			if len(r.Errors) != 1 || r.Errors[0].Name != "failed" || r.Errors[0].Count != 20 || r.Tools[0].Failed != 20 {
				t.Errorf("%v: %+v", era, r.Errors)
			}
		})
	}
}

// TestTaskCancelled: a task that the server has cancelled is an answer, and no broken connection.
func TestTaskCancelled(t *testing.T) {
	if _, ok := errors.AsType[*ServerError](refusal(fmt.Errorf("introduce: %w", mcpclient.ErrTaskCancelled))); !ok {
		t.Error("it counts as no answer")
	}
}
