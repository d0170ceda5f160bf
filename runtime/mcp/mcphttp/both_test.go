package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestAskBeside: a request that belongs to none of the client's goes on the stream of GET; and it can be cancelled.
func TestAskBeside(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	in := newInbox()
	c := dial(t, s.HTTP.URL, in, ClientOptions{})
	open(t, c)
	session := s.handler.sessions.find(c.session, "")
	ask := func(ctx context.Context, id int64) (string, error) {
		reply, err := session.Call(ctx, id, []byte(`{"jsonrpc":"2.0","id":7.0,"method":"elicitation/create","params":{}}`))
		return string(reply), err
	}
	if reply, err := ask(context.Background(), 7); err != nil || !strings.Contains(reply, `"name":"Ada"`) {
		t.Error(reply, err)
	}
	in.hold = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := ask(ctx, 7)
		failed <- err
	}()
	await.Until(t, "the client is asked", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.served.Get("7") != nil
	})
	cancel()
	if err := <-failed; err != context.Canceled {
		t.Error(err)
	}
	if c.Cancel(wire.IntID(8), nil) {
		t.Error("a question was cancelled that was not asked")
	}
	if !c.Cancel(wire.IntID(7), errors.New("enough")) || <-in.notes != "cancelled" {
		t.Error("the question was not cancelled")
	}
	await.Until(t, "the question is over", func() bool { return len(c.places) == 0 })
	if _, err := session.CallBatch(context.Background(), 0, 0, nil); err == nil {
		t.Error("a batch was sent")
	}
	if _, err := c.CallBatch(context.Background(), 0, 0, nil); err == nil {
		t.Error("a batch was sent")
	}
	session.Close()
	if _, err := ask(context.Background(), 9); !errors.Is(err, runtime.ErrClosed) {
		t.Error(err)
	}
}

// TestLargeAnswers come whole, in both eras.
func TestLargeAnswers(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	for _, size := range []int{1 << 10, 3 << 10, 100 << 10, 1 << 20} {
		text := strings.Repeat("x", size)
		body := strings.Replace(statelessCall(1, "echo", ""), `"name":"echo"`, `"name":"echo","arguments":{"text":"`+text+`"}`, 1)
		a := s.send("POST", body, statelessHeaders("tools/call", "echo")...)
		if a.status != 200 || !strings.Contains(a.body, text) || !strings.HasSuffix(a.body, "}}") {
			t.Error(size, a.status, len(a.body))
		}
		a = s.send("POST", sessionCallOf("1", "echo", `,"arguments":{"text":"`+text+`"}`), s.begin("2025-11-25")...)
		if a.status != 200 || !strings.Contains(a.body, text) {
			t.Error(size, a.status, len(a.body))
		}
	}
}

// TestNoQuestions: the connection of a stateless request carries notifications, as long as it lasts, and no requests.
func TestNoQuestions(t *testing.T) {
	x := &exchange{h: NewHandler(newWorkshop().Server, Options{}), reply: web.Reply{Writer: httptest.NewRecorder()}}
	if _, err := x.NextID(1); err != errNoRequests {
		t.Error(err)
	}
	if _, err := x.Call(context.Background(), 1, nil); err != errNoRequests {
		t.Error(err)
	}
	if _, err := x.CallBatch(context.Background(), 1, 1, nil); err != errNoRequests {
		t.Error(err)
	}
	x.Answer(nil, nil, new(transport.Outcome))
	if err := x.Notify(context.Background(), []byte("{}")); err != runtime.ErrClosed {
		t.Error(err)
	}
	if err := mcp.CloseStream(transport.WithPeer(context.Background(), x)); err == nil {
		t.Error("the stream of a stateless request was closed")
	}
}

// TestHTTP2: everything is the same over HTTP/2.
func TestHTTP2(t *testing.T) {
	w := newWorkshop()
	h := NewHandler(w.Server, Options{Retry: 10 * time.Millisecond})
	defer h.Close()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	in := newInbox()
	c := dial(t, server.URL, in, ClientOptions{HTTP: server.Client()})
	defer server.Client().CloseIdleConnections()
	if resp, err := server.Client().Get(server.URL); err != nil || resp.ProtoMajor != 2 || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Fatal(resp, err)
	}
	reply, err := call(statelessContext("tools/call", "count"), c, "tools/call", `{"name":"count",`+statelessMeta+`,"progressToken":"p"}}`)
	if err != nil || !strings.Contains(reply, "counted") || len(in.notes) != 3 {
		t.Error(reply, err, len(in.notes))
	}
	open(t, c)
	for tool, want := range map[string]string{"ask": "hello Ada", "leave": "while you were out", "echo": "result"} {
		if reply, err := call(handshakeContext(), c, "tools/call", `{"name":"`+tool+`"}`); err != nil || !strings.Contains(reply, want) {
			t.Error(tool, reply, err)
		}
	}
	ctx, cancel := context.WithCancel(statelessContext("tools/call", "wait"))
	go func() {
		<-w.Begun
		cancel()
	}()
	if _, err := call(ctx, c, "tools/call", `{"name":"wait",`+statelessMeta+`}}`); err != context.Canceled {
		t.Error(err)
	}
	if err := <-w.Cancelled; err != context.Canceled {
		t.Error(err)
	}
	c.Close()
}
