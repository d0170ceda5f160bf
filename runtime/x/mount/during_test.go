package mount_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/narrow"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// changing is a server whose tools a test adds and removes.
type changing struct {
	*mcpdynamic.Set
	server *mcp.Server
}

func newChanging(t *testing.T) *changing {
	c := &changing{Set: mcpdynamic.New(mcpdynamic.Options{})}
	c.server = office.Front(c.Set)
	t.Cleanup(func() { c.server.Close() })
	return c
}

func (c *changing) add(t *testing.T, name string, call func(ctx context.Context) (string, error)) {
	t.Helper()
	err := c.AddTools(mcpdynamic.Tool{Name: name, Call: func(ctx context.Context, _ runtime.Raw) (runtime.Appender, error) {
		text, err := call(ctx)
		return mcpdynamic.Text(text), err
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// ways runs a test for each pair of revisions, of the upstream and of the client.
func ways(t *testing.T, test func(t *testing.T, up, client string)) {
	for _, up := range office.Revisions {
		for _, client := range office.Revisions {
			t.Run(up+"/"+client, func(t *testing.T) { test(t, up, client) })
		}
	}
}

// TestChangedDuringCall: the list of an upstream changes while a call of it runs, even by the tool that is called. The call has its answer, and clients
// are told of the change and find the list as it is now.
func TestChangedDuringCall(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		release := make(chan struct{})
		old.add(t, "replaced", func(ctx context.Context) (string, error) {
			if err := old.RemoveTools("replaced"); err != nil {
				return "", err
			}
			old.add(t, "fresh", func(context.Context) (string, error) { return "new", nil })
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "the old answer", ctx.Err()
		})
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server), Revisions: []string{revision}, Concurrent: true})
		ready(t, up)
		var told atomic.Int32
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revisions: []string{client}, OnListChanged: func(context.Context, mcpclient.List) { told.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true}); err != nil {
			t.Fatal(err)
		}
		answered := make(chan string, 1)
		go func() {
			result, err := c.CallTool(t.Context(), "replaced", runtime.Raw{})
			answered <- fmt.Sprint(said(result), err)
		}()
		await.Until(t, "the fresh tool is listed and called, during the call", func() bool {
			result, err := c.CallTool(t.Context(), "fresh", runtime.Raw{})
			return err == nil && said(result) == "new"
		})
		if _, err := c.CallTool(t.Context(), "replaced", runtime.Raw{}); err == nil {
			t.Error("the tool that was removed is called")
		}
		close(release)
		if got := <-answered; got != "the old answer<nil>" {
			t.Error(got)
		}
		await.Until(t, "the client receives the change", func() bool { return told.Load() > 0 })
	})
}

func said(r mcp.CallToolResult) string {
	var all []string
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, " ")
}

// dying is a connection to a server that a test ends.
type dying struct {
	dial mcpclient.Dialer
	mu   sync.Mutex
	conn runtime.Conn
	made int
}

func (d *dying) Dial(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, err := d.dial(ctx, inbound)
	d.conn, d.made = conn, d.made+1
	return conn, err
}

func (d *dying) die() {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	conn.(interface{ Close() error }).Close()
}

// TestLostDuringCall: the connection to an upstream ends during a call: the call fails and says so, is not repeated, and a later one is made over the
// next connection.
func TestLostDuringCall(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		begun := make(chan struct{}, 8)
		var calls atomic.Int32
		old.add(t, "wait", func(ctx context.Context) (string, error) {
			calls.Add(1)
			begun <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		})
		old.add(t, "quick", func(context.Context) (string, error) { return "done", nil })
		d := &dying{dial: mcpclient.InMemory(old.server)}
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		c := office.Connect(t, mcpclient.InMemory(s), client)
		go func() {
			<-begun
			d.die()
		}()
		if got := office.Answer(t, c, "tools/call", `{"name":"wait"}`); !strings.Contains(got, `The server \"old\" cannot be reached at present. Try again later.`) {
			t.Error(got)
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("the call was made %d times", n)
		}
		if got := office.Answer(t, c, "tools/call", `{"name":"quick"}`); !strings.Contains(got, "done") {
			t.Error(got)
		}
		if d.made < 2 {
			t.Errorf("%d connections", d.made)
		}
	})
}

// TestAskedAfterReconnect: after the connection has been lost, questions of both eras and progress still reach the client whose call they belong to.
func TestAskedAfterReconnect(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := office.New(office.Options)
		d := &dying{dial: mcpclient.InMemory(old)}
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		direct, through := office.Connect(t, mcpclient.InMemory(old), client), office.Connect(t, mcpclient.InMemory(s), client)
		for range 2 {
			for _, call := range []string{`{"name":"confirm"}`, `{"name":"consult"}`, `{"name":"folders"}`, `{"name":"clean"}`} {
				if want, got := office.Answer(t, direct, "tools/call", call), office.Answer(t, through, "tools/call", call); got != want {
					t.Errorf("%s: %s, want %s", call, got, want)
				}
			}
			d.die()
		}
	})
}

// TestCancelledDuringQuestion: a client gives up a call whose question it has not answered. The handler of the upstream ends, and the next call is not
// affected.
func TestCancelledDuringQuestion(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		ended := make(chan error, 8)
		old.add(t, "ask", func(ctx context.Context) (string, error) {
			r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
			ended <- err
			return string(r.Action), err
		})
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server), Revisions: []string{revision}})
		ready(t, up)
		var asked atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revisions: []string{client}, OnElicit: func(asking context.Context, _ mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			if asked.Add(1) == 1 {
				cancel()
				<-asking.Done()
				return mcp.ElicitResult{}, asking.Err()
			}
			return mcp.ElicitResult{Action: "accept"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.CallTool(ctx, "ask", runtime.Raw{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the handler of the upstream goes on")
		}
		if result, err := c.CallTool(t.Context(), "ask", runtime.Raw{}); err != nil || said(result) != "accept" {
			t.Error(said(result), err)
		}
	})
}

// small is a limit of messages in bytes, and large is more than any message.
const small, large = 64 << 10, 1 << 30

// dialNarrow connects to a server over a connection that skips answers of more than 64 KiB.
func dialNarrow(s *mcp.Server) mcpclient.Dialer { return dialBetween(s, small, large) }

// dialBetween connects to a server over a connection whose two ends skip messages of more bytes.
func dialBetween(s *mcp.Server, client, server int) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		near, far := pipe.New(0)
		o := runtime.Options{Logger: office.Options.Logger}
		runtime.NewSession(context.WithoutCancel(ctx), narrow.Conn{Conn: far, Max: server}, s, o)
		return runtime.NewSession(context.WithoutCancel(ctx), narrow.Conn{Conn: near, Max: client}, inbound, o), nil
	}
}

// TestAnswerTooLarge: an answer of an upstream that is over the limit fails its call alone, says so, and the call is not repeated: the connection
// stays, and other calls are answered.
func TestAnswerTooLarge(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		var calls atomic.Int32
		old.add(t, "long", func(context.Context) (string, error) {
			calls.Add(1)
			return strings.Repeat("x", 100<<10), nil
		})
		old.add(t, "short", func(context.Context) (string, error) { return "done", nil })
		d := &dying{dial: dialNarrow(old.server)}
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		c := office.Connect(t, mcpclient.InMemory(s), client)
		for range 2 {
			got := office.Answer(t, c, "tools/call", `{"name":"long"}`)
			if !strings.Contains(got, `larger than a message to or from the server \"old\" may be, which is 65536 bytes`) || !strings.Contains(got, `"isError":true`) {
				t.Error(got)
			}
			if got := office.Answer(t, c, "tools/call", `{"name":"short"}`); !strings.Contains(got, "done") {
				t.Error(got)
			}
		}
		if calls.Load() != 2 || d.made != 1 {
			t.Errorf("%d calls over %d connections", calls.Load(), d.made)
		}
	})
}

// TestQuestionTooLarge: a question of an upstream, or the answer of the client to it, is over the limit of either connection, at either end. The call
// fails alone: the connection stays, and the next question is answered.
func TestQuestionTooLarge(t *testing.T) {
	for name, tt := range map[string]struct{ question, answer, upNear, upFar, clientNear, clientFar int }{
		"question to the upstream's client": {2 * small, 1, small, large, large, large},
		"question to the client":            {2 * small, 1, large, large, small, large},
		"answer to the server":              {1, 2 * small, large, large, large, small},
		"answer to the upstream":            {1, 2 * small, large, small, large, large},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, revision, client string) {
				old := newChanging(t)
				var sizes, answers atomic.Int32
				old.add(t, "ask", func(ctx context.Context) (string, error) {
					r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: strings.Repeat("?", int(sizes.Load()))})
					return string(r.Action), err
				})
				old.add(t, "consult", func(ctx context.Context) (string, error) {
					r, err := mcp.Sample(ctx, "sure", mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{}, SystemPrompt: runtime.Some(strings.Repeat("?", int(sizes.Load())))})
					return r.Model, err
				})
				d := &dying{dial: dialBetween(old.server, tt.upNear, tt.upFar)}
				s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}, Timeout: 20 * time.Second})
				ready(t, up)
				c, err := mcpclient.Connect(t.Context(), dialBetween(s, tt.clientNear, tt.clientFar), mcpclient.Options{Revisions: []string{client}, Logger: office.Options.Logger,
					OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
						return mcp.ElicitResult{Action: "accept", Content: map[string]mcp20260728.ElicitResultContentValue{"a": mcp20260728.ElicitResultContentValueString(strings.Repeat("!", int(answers.Load())))}}, nil
					},
					OnSample: func(context.Context, mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error) {
						return mcp.CreateMessageResult{Role: "assistant", Model: "accept", Content: &mcp.TextContent{Text: strings.Repeat("!", int(answers.Load()))}}, nil
					}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				for _, tool := range []string{"ask", "consult", "ask"} {
					sizes.Store(int32(tt.question))
					answers.Store(int32(tt.answer))
					if result, err := c.CallTool(t.Context(), tool, runtime.Raw{}); err == nil && !result.IsError.Or(false) {
						t.Errorf("%s: %.100s", tool, said(result))
					}
					sizes.Store(1)
					answers.Store(1)
					if result, err := c.CallTool(t.Context(), tool, runtime.Raw{}); err != nil || said(result) != "accept" {
						t.Errorf("%s: %s %v", tool, said(result), err)
					}
				}
				if d.made != 1 {
					t.Errorf("%d connections", d.made)
				}
			})
		})
	}
}
