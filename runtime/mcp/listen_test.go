package mcp_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/test/await"
)

const listenAll = `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a","b"]},`

// listen subscribes conn to everything, until ctx or the server ends; answer is called with what is answered then.
func listen(ctx context.Context, srv *mcp.Server, conn runtime.Conn, answer func(string)) {
	go func() {
		answer(dispatch(transport.WithPeer(ctx, conn), srv, request("subscriptions/listen", listenAll)))
	}()
}

// TestSlowListener: a client that does not read costs no memory for repeated changes, does not
// delay other clients, and gets every change once it reads.
func TestSlowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer("")
		slow, quick := &listening{block: make(chan struct{})}, &listening{}
		var answers []string
		ctx, cancel := context.WithCancel(t.Context())
		listen(ctx, srv, slow, func(a string) { answers = append(answers, a) })
		listen(ctx, srv, quick, func(string) {})
		synctest.Wait()
		for range 1000 {
			srv.ToolsChanged()
			srv.ResourceUpdated("a")
			srv.ResourceUpdated("elsewhere")
		}
		srv.PromptsChanged()
		srv.ResourceUpdated("b")
		synctest.Wait()
		if slow.heard() != nil || len(quick.heard()) < 4 {
			t.Errorf("the slow one heard %v, the other one %d messages", slow.heard(), len(quick.heard()))
		}
		close(slow.block)
		synctest.Wait()
		got := slow.heard()
		for i, want := range []string{"acknowledged", "tools/list_changed", "prompts/list_changed", `"uri":"a"`, `"uri":"b"`} {
			if i >= len(got) || !strings.Contains(got[i], want) {
				t.Fatalf("message %d of %q is not %s", i, got, want)
			}
		}
		if len(got) != 5 {
			t.Errorf("heard %q", got)
		}
		cancel()
		synctest.Wait()
		if len(answers) != 1 || !strings.Contains(answers[0], `"code":-32800`) {
			t.Errorf("a subscription that ended was answered %q", answers)
		}
	})
}

// TestShutdown: listens end with their result, whatever they have still to be told before; one whose client does not read is given up
// when patience ends.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer("")
		stuck, quick := &listening{block: make(chan struct{})}, &listening{}
		answers := make(chan string, 2)
		listen(t.Context(), srv, stuck, func(a string) { answers <- a })
		stuck.block <- struct{}{} // its acknowledgement
		listen(t.Context(), srv, quick, func(a string) { answers <- a })
		synctest.Wait()
		srv.ToolsChanged()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := srv.Shutdown(ctx); err != context.DeadlineExceeded {
			t.Error("shutdown ended with", err)
		}
		if got := quick.heard(); len(got) != 3 || !strings.Contains(got[2], "notifications/cancelled") {
			t.Errorf("heard %q", got)
		}
		if answer := <-answers; !strings.Contains(answer, `"resultType":"complete"`) {
			t.Error("answered", answer)
		}
		close(stuck.block)
		synctest.Wait()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestInputEnds: a client that sends nothing more does not listen any longer, and its session ends at once.
func TestInputEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer("")
		p := shop.NewPlayer(t, srv)
		p.Say(request("subscriptions/listen", listenAll))
		start := time.Now()
		p.Close()
		if took := time.Since(start); took != 0 {
			t.Error("the session took", took)
		}
		if heard := p.Hear(); !strings.Contains(heard, `"resultType":"complete"`) {
			t.Error("heard", heard)
		}
	})
}

// TestThousandListeners: many idle subscribers cost little memory, get notifications of changes,
// and leave nothing allocated.
func TestThousandListeners(t *testing.T) {
	const n = 1000
	srv := newServer("")
	before := goruntime.NumGoroutine()
	var ended sync.WaitGroup
	conns := make([]*listening, n)
	for i := range conns {
		conns[i] = &listening{}
		ended.Add(1)
		listen(t.Context(), srv, conns[i], func(a string) {
			if !strings.Contains(a, `"resultType":"complete"`) {
				t.Error(a)
			}
			ended.Done()
		})
	}
	wait := func(what string, messages int) {
		t.Helper()
		for _, c := range conns {
			for len(c.heard()) < messages {
				goruntime.Gosched()
			}
		}
		await.Until(t, what+": there is one goroutine for each listener", func() bool { return goruntime.NumGoroutine()-before <= n+10 })
	}
	wait("idle", 1)
	srv.ToolsChanged()
	wait("told", 2)
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	ended.Wait()
	for _, c := range conns {
		if got := c.heard(); len(got) != 3 || !strings.Contains(got[2], "notifications/cancelled") {
			t.Fatal(got)
		}
	}
}

// TestThousandSessions: the same of sessions that began with a handshake; they need no goroutine of the server's at all.
func TestThousandSessions(t *testing.T) {
	const n = 1000
	srv := newServer("")
	conns, handlers := make([]*listening, n), make([]runtime.Handler, n)
	for i := range conns {
		conns[i] = &listening{}
		handlers[i] = srv.Open(conns[i])
		dispatch(t.Context(), handlers[i], `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		dispatch(t.Context(), handlers[i], `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		dispatch(t.Context(), handlers[i], fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"shop://%d"}}`, i%10))
	}
	before := goruntime.NumGoroutine()
	srv.ToolsChanged()
	srv.ResourceUpdated("shop://7")
	if err := srv.Shutdown(t.Context()); err != nil { // waits for what is being told
		t.Error(err)
	}
	for i, c := range conns {
		want := 1
		if i%10 == 7 {
			want = 2
		}
		if got := c.heard(); len(got) != want {
			t.Fatalf("session %d heard %q", i, got)
		}
		handlers[i].Hooks().Closed()
	}
	settled(t, before+2) // what has told its last session may not have returned yet
}

// TestListsNotOffered: a change of lists that the server does not have, and whose capability it does not declare, is notified to nobody.
func TestListsNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := mcp.NewServer(&shop.Shop{Change: func(info *mcp.Info) { info.Prompts, info.Resources, info.Templates = "", "", "" }}, mcp.Options{Logger: shop.Quiet})
		var stateless, session listening
		listen(ctx, srv, &stateless, func(string) {})
		h := srv.Open(&session)
		defer h.Hooks().Closed()
		dispatch(ctx, h, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`)
		dispatch(ctx, h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		synctest.Wait()
		srv.PromptsChanged()
		srv.ResourcesChanged()
		srv.ToolsChanged()
		synctest.Wait()
		for era, all := range map[string][]string{"stateless": stateless.heard(), "session": session.heard()} {
			text := strings.Join(all, "\n")
			if strings.Contains(text, "prompts/list_changed") || strings.Contains(text, "resources/list_changed") || strings.Count(text, "tools/list_changed") != 1 {
				t.Errorf("%s: %s", era, text)
			}
		}
		cancel()
		synctest.Wait()
	})
}
