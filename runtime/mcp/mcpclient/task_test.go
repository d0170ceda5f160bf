package mcpclient_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// late is a connection whose second state of a task arrives when later has run and the client has done what follows from it.
type late struct {
	scriptConn
	states int
	later  func()
}

func (l *late) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	reply, err := l.scriptConn.Call(ctx, id, msg)
	if method, _ := wire.PeekAt(msg).In("method").Text(); method == "tasks/get" {
		if l.states++; l.states == 2 {
			l.later()
			synctest.Wait()
		}
	}
	return reply, err
}

// following starts a task in the handshake era that needs answers, and follows it until it has ended or a minute is over. The rest of the
// response to tasks/result is sent after the second request for the state, before its response.
func following(t *testing.T, result string) (statuses []string, last error) {
	synctest.Test(t, func(t *testing.T) {
		const state = `"taskId":"1","status":"input_required","ttl":null,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"`
		s := &script{}
		s.answer = func(method string, _ wire.Peek) string {
			switch method {
			case "initialize":
				return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"0"}}`
			case "tools/call":
				return `"result":{"task":{` + state + `}}`
			case "tasks/get":
				return `"result":{` + state + `}`
			}
			return ""
		}
		dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			conn, err := s.dial(ctx, inbound)
			return &late{scriptConn: *conn.(*scriptConn), later: func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				for i, method := range s.heard {
					if method == "tasks/result" {
						s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","id":` + s.ids[i] + `,` + result + `}`))
					}
				}
			}}, err
		}
		c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		task, err := c.StartTool(t.Context(), "x", runtime.Raw{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for s, err := range task.Updates(ctx) {
			statuses, last = append(statuses, string(s.Status)), err
		}
	})
	return statuses, last
}

// TestUpdatesOvertaken: a state that arrives after the result is an older one.
func TestUpdatesOvertaken(t *testing.T) {
	statuses, err := following(t, done)
	if got := strings.Join(statuses, " "); got != "input_required completed" || err != nil {
		t.Error(got, err)
	}
}

// TestUpdatesRefused: a server that refuses to wait for the result does not ask either, so following the task ends with its error.
func TestUpdatesRefused(t *testing.T) {
	statuses, err := following(t, `"error":{"code":-32603,"message":"no"}`)
	if code(err) != runtime.CodeInternalError {
		t.Error(statuses, err)
	}
}

// TestProgressOfTask: all that wait for a task hear of its progress, each function once, until they wait no more.
func TestProgressOfTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.answer = func(method string, _ wire.Peek) string {
			switch method {
			case "initialize":
				return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"0"}}`
			case "tools/call":
				return `"result":{"task":{"taskId":"1","status":"working","ttl":null,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"}}`
			}
			return ""
		}
		var heard []string
		o := mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake}
		o.OnProgress = func(_ context.Context, p mcpclient.ProgressReport) { heard = append(heard, "all "+p.Message) }
		c, err := mcpclient.Connect(t.Context(), s.dial, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		task, err := c.StartTool(t.Context(), "x", runtime.Raw{})
		if err != nil {
			t.Fatal(err)
		}
		var ends []context.CancelFunc
		for _, who := range []string{"", "", "ann", "bob"} {
			ctx, cancel := context.WithCancel(t.Context())
			ends = append(ends, cancel)
			if who != "" {
				ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) { heard = append(heard, who+" "+p.Message) })
			}
			go task.Wait(ctx)
		}
		synctest.Wait()
		for i, want := range []string{"all 0 ann 0 bob 0", "all 1 ann 1 bob 1", "ann 2 bob 2", "bob 3", ""} {
			s.conn.WriteFrame(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":"%d"}}`, s.ids[2], i))
			synctest.Wait()
			slices.Sort(heard)
			if got := strings.Join(heard, " "); got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
			if heard = nil; i < len(ends) {
				ends[i]()
			}
			synctest.Wait()
		}
	})
}

// TestTaskOverloaded: who waits for a task, or follows it, asks again while the server is overloaded.
func TestTaskOverloaded(t *testing.T) {
	for era, version := range map[mcp.Era]string{mcp.Handshake: "2025-11-25", mcp.Stateless: "2026-07-28"} {
		synctest.Test(t, func(t *testing.T) {
			const members = `"taskId":"1","ttl":null,"ttlMs":null,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","status":`
			s, refusals := &script{}, 0
			s.answer = func(method string, _ wire.Peek) string {
				switch method {
				case "initialize":
					return `"result":{"protocolVersion":"` + version + `","capabilities":{"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"0"}}`
				case "server/discover":
					return `"result":{"supportedVersions":["` + version + `"],"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
				case "tools/call":
					if era == mcp.Handshake {
						return `"result":{"task":{` + members + `"working"}}`
					}
					return `"result":{` + members + `"working","resultType":"task"}`
				case "tasks/get", "tasks/result":
					if refusals--; refusals >= 0 {
						return `"error":{"code":503,"message":"Overloaded: tasks are not available at present"}`
					}
					if method == "tasks/result" {
						return `"result":{"content":[]}`
					}
					return `"result":{` + members + `"completed","result":{"content":[]},"resultType":"complete"}`
				}
				return ""
			}
			c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: era})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			task, err := c.StartTool(t.Context(), "x", runtime.Raw{})
			if err != nil {
				t.Fatal(err)
			}
			refusals = 5
			if _, err := c.ToolTask("x", task.ID()).Wait(t.Context()); err != nil || refusals > 0 {
				t.Errorf("%v: %v, %d refusals are left", era, err, refusals)
			}
			refusals = 5
			last := mcpclient.TaskState{}
			for state, err := range task.Updates(t.Context()) {
				if last = state; err != nil {
					t.Errorf("%v: %v", era, err)
				}
			}
			if last.Status != mcpclient.TaskCompleted {
				t.Errorf("%v: %+v", era, last)
			}
		})
	}
}
