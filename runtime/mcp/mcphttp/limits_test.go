package mcphttp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// byHeader names clients by a header, for tests in which all have one address.
func byHeader(r *http.Request) string { return r.Header.Get("X-Client") }

// initialize is the message that begins a session; more are further params.
func initializeWith(more string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},` +
		`"clientInfo":{"name":"test","version":"1"}` + more + `}}`
}

// TestSessionsKeepNoMessages: sessions that began with huge messages hold little memory, and what would be kept of one is refused when it is
// too much.
func TestSessionsKeepNoMessages(t *testing.T) {
	many, size, most := 60, 9<<20, uint64(60<<20) // bytes; the messages are ten times as many
	if testing.Short() {
		many, size, most = 4, 2<<20, 8<<20/3
	}
	s := newSite(t, newWorkshop(), Options{})
	padding := strings.Repeat("x", size)
	before := inUse()
	for range many {
		if a := s.send("POST", initializeWith(`,"_meta":{"padding":"`+padding+`"}`)); a.status != 200 || a.header.Get("Mcp-Session-Id") == "" {
			t.Fatal(a)
		}
	}
	if now := inUse(); now > before+most {
		t.Errorf("%d sessions hold %d MB", many, (now-before)>>20)
	}
	big := strings.Replace(initializeWith(""), `"name":"test"`, `"name":"`+padding+`"`, 1)
	if a := s.send("POST", big); !strings.Contains(a.body, "-32602") || !strings.Contains(a.body, "at most 16384 bytes") {
		t.Errorf("%.300s", a.body)
	}
}

// TestListenersKeepLittle: the memory that a subscriber takes is limited.
func TestListenersKeepLittle(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	uri := strings.Repeat("x", 100<<10)
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + uri + `"]},` + statelessMeta + `}}}`
	if a := s.send("POST", listen, statelessHeaders("subscriptions/listen", "")...); a.status != 400 || !strings.Contains(a.body, "at most 65536 bytes") {
		t.Errorf("%d %.300s", a.status, a.body)
	}
	session := s.begin("2025-11-25")
	refused := 0
	for i := range 20 {
		uri := fmt.Sprintf("workshop://%d/%s", i, strings.Repeat("x", 8000))
		a := s.send("POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+uri+`"}}`, session...)
		if strings.Contains(a.body, "Too many subscriptions") {
			refused++
		}
	}
	if refused != 12 {
		t.Errorf("%d of 20 subscriptions of 8,000 bytes each were refused", refused)
	}
}

// TestUnansweredQuestions: a client that was asked and went away keeps neither its call nor its session.
func TestUnansweredQuestions(t *testing.T) {
	for name, c := range map[string]struct {
		patience, idle time.Duration
	}{
		"the question ends": {100 * time.Millisecond, time.Hour},
		"the session ends":  {time.Hour, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkshop()
				w.Server = mcp.NewServer(w, mcp.Options{Logger: quiet, QuestionTimeout: c.patience})
				s := newSiteInMemory(t, w, Options{SessionIdle: c.idle})
				session := s.begin("2025-11-25")
				ctx, leave := context.WithCancel(context.Background())
				resp := s.open(ctx, "POST", sessionCallOf("1", "ask", ""), session...)
				l := linesOf(t, resp.Body)
				l.find("elicitation/create")
				if name == "the question ends" {
					l.find("notifications/cancelled")
					l.find("did not answer within 100ms")
				}
				leave()
				resp.Body.Close()
				time.Sleep(time.Second)
				synctest.Wait()
				if n := s.handler.sessions.count(); (n == 0) != (name == "the session ends") {
					t.Error(n, "sessions are left")
				}
				if n := s.handler.running.Load(); n != 0 {
					t.Error(n, "requests run")
				}
			})
		})
	}
}

// TestSessionsGiveWay: when there are too many sessions, one client's idle ones give way to others', and never the other way round; those
// in use stay.
func TestSessionsGiveWay(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{MaxSessions: 10, ClientOf: byHeader})
	is := func(session []string) int {
		return s.send("POST", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, session...).status
	}
	good := [][]string{s.begin("2025-11-25", "X-Client: good"), s.begin("2025-11-25", "X-Client: good")}
	active := s.begin("2025-11-25", "X-Client: greedy")
	stream := s.open(context.Background(), "GET", "", active...)
	defer stream.Body.Close()
	var latest []string
	for range 50 {
		latest = s.begin("2025-11-25", "X-Client: greedy")
	}
	for _, session := range append(good, active, latest) {
		if status := is(session); status != 200 {
			t.Error(session, status)
		}
	}
	for i := range 5 {
		s.begin("2025-11-25", fmt.Sprint("X-Client: new", i))
	}
	if is(good[0]) != 200 || is(active) != 200 {
		t.Error("the wrong ones gave way")
	}
	if n := s.handler.sessions.count(); n != 10 {
		t.Error(n, "sessions")
	}
}

// TestSessionsPerClient: a client that has too many sessions in use gets no more, and others do.
func TestSessionsPerClient(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{MaxSessionsPerClient: 2, ClientOf: byHeader})
	for range 2 {
		session := s.begin("2025-11-25", "X-Client: greedy")
		stream := s.open(context.Background(), "GET", "", session...)
		defer stream.Body.Close()
	}
	a := s.send("POST", initializeWith(""), "X-Client: greedy")
	if a.status != 429 || a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "this client has too many sessions") {
		t.Error(a)
	}
	s.begin("2025-11-25", "X-Client: other")
	if len(s.handler.sessions.holders) != 2 {
		t.Error(len(s.handler.sessions.holders), "holders")
	}
}

// TestCallsAreLimited: calls that are too many, in all or of a client, are answered at once; nothing is left of them.
func TestCallsAreLimited(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{MaxCalls: 3, MaxCallsPerClient: 2, MaxStreams: 3, MaxStreamsPerClient: 2, ClientOf: byHeader})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wait := func(client string) {
		go func() {
			r, _ := http.NewRequestWithContext(ctx, "POST", s.HTTP.URL+"/mcp", strings.NewReader(statelessCall(1, "wait", "")))
			for _, h := range statelessHeaders("tools/call", "wait", "Content-Type: application/json", "X-Client: "+client) {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			if resp, err := s.Client.Do(r); err == nil {
				resp.Body.Close()
			}
		}()
		<-s.Begun
	}
	listen := func(client string) *http.Response {
		body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + statelessMeta + `}}}`
		return s.open(ctx, "POST", body, statelessHeaders("subscriptions/listen", "", "X-Client: "+client)...)
	}
	wait("a")
	wait("a")
	if a := s.callStateless("echo", "X-Client: a"); a.status != 429 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "this client has too many calls") {
		t.Error(a)
	}
	if a := s.callStateless("echo", "X-Client: b"); a.status != 200 {
		t.Error(a)
	}
	wait("b")
	if a := s.callStateless("echo", "X-Client: c"); a.status != 503 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "there are too many calls") {
		t.Error(a)
	}
	for i, want := range []int{200, 200, 429} {
		if resp := listen("a"); resp.StatusCode != want {
			t.Errorf("stream %d: %d", i, resp.StatusCode)
		}
	}
	cancel()
	await.Until(t, "nothing is left", func() bool {
		calls, callers := s.handler.calls.Count()
		streams, listeners := s.handler.streams.Count()
		return calls == 0 && callers == 0 && streams == 0 && listeners == 0
	})
}

// TestReplayIsLimited: what all sessions keep for replay is limited together, and all of it is let go of with them.
func TestReplayIsLimited(t *testing.T) {
	const most = 1 << 20
	s := newSite(t, newWorkshop(), Options{MaxReplayBytes: most, ReplayBytes: 8 << 20})
	arguments := `,"arguments":{"text":"` + strings.Repeat("x", 200<<10) + `"},"_meta":{"progressToken":1}`
	var sessions [][]string
	for range 20 {
		session := s.begin("2025-11-25")
		s.send("POST", sessionCallOf("1", "count", arguments), session...)
		for id := range 3 {
			s.handler.sessions.find(strings.TrimPrefix(session[0], "Mcp-Session-Id: "), "").Notify(t.Context(), bytes.Repeat([]byte{'0' + byte(id)}, 100<<10))
		}
		sessions = append(sessions, session)
		if kept := s.handler.sessions.replay.Load(); kept > most {
			t.Fatalf("%d bytes are kept", kept)
		}
	}
	for _, session := range sessions {
		s.send("DELETE", "", session...)
	}
	if kept := s.handler.sessions.replay.Load(); kept != 0 {
		t.Errorf("%d bytes are left", kept)
	}
}

// TestReplayOfOthers: one client with many sessions does not have the events of another dropped, who keeps more in a session, and less in all.
func TestReplayOfOthers(t *testing.T) {
	var who atomic.Value
	s := newSite(t, newWorkshop(), Options{MaxReplayBytes: 1 << 20, ClientOf: func(*http.Request) string { return who.Load().(string) }})
	keep := func(name string, events int) *session {
		who.Store(name)
		session := s.handler.sessions.find(strings.TrimPrefix(s.begin("2025-11-25")[0], "Mcp-Session-Id: "), "")
		for range events {
			session.Notify(t.Context(), bytes.Repeat([]byte("x"), 100<<10))
		}
		return session
	}
	ann, all := keep("ann", 3), 0
	for range 10 {
		all += int(keep("mallory", 2).store.kept.Load())
	}
	if kept := ann.store.kept.Load(); kept < 300<<10 || all < 1<<20 {
		t.Errorf("one client keeps %d bytes after another has kept %d", kept, all)
	}
}

// TestGoexit: a handler that ends its goroutine is answered for, in both eras.
func TestGoexit(t *testing.T) {
	s := newSite(t, newWorkshop("2025-03-26", "2025-11-25", "2026-07-28"), Options{})
	session, old := s.begin("2025-11-25"), s.begin("2025-03-26")
	for name, a := range map[string]answer{
		"stateless": s.callStateless("goexit"),
		"session":   s.send("POST", sessionCallOf("1", "goexit", ""), session...),
	} {
		if !strings.Contains(a.body, `"id":1`) || !strings.Contains(a.body, "-32603") {
			t.Error(name, a)
		}
	}
	if a := s.send("POST", "["+sessionCallOf("1", "goexit", "")+"]", old[0]); !strings.Contains(a.body, "-32603") {
		t.Error("batch", a)
	}
	s.alive()
	await.Until(t, "nothing runs", func() bool { return s.handler.running.Load() == 0 })
}

// TestHeadersTwice: a second value of a header that has one is refused.
func TestHeadersTwice(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	for _, header := range []string{"Content-Type: text/plain", session[0], session[1]} {
		body := sessionCallOf("1", "echo", "")
		conn := s.raw(rawPost(body, append(session, header, "Accept: */*")...))
		if got := status(t, conn); got != 400 {
			t.Error(header, got)
		}
	}
}

// TestVanishingIsNoError: clients that vanish are not the server's errors.
func TestVanishingIsNoError(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	w := newWorkshop()
	w.Server = mcp.NewServer(w, mcp.Options{Logger: log})
	s := newSite(t, w, Options{})
	for i := range 100 {
		s.raw(rawPost(statelessCall(i, "flood", `,"progressToken":1`), statelessHeaders("tools/call", "flood")...))
		<-s.Begun
		s.HTTP.CloseClientConnections()
		<-s.Cancelled
	}
	await.Until(t, "nothing runs", func() bool { return s.handler.running.Load() == 0 })
	if n := strings.Count(out.String(), "\n"); n > 20 || strings.Contains(out.String(), "level=ERROR") {
		t.Errorf("%d lines:\n%.1000s", n, out.String())
	}
}

// refusedError is an error that a schema declares.
type refusedError struct{ c runtime.Condition }

func (*refusedError) Error() string { return "not now" }

func (e *refusedError) RPCError() runtime.ErrorObject {
	status := 0
	if e.c.Kind == when.MessageTooLarge || e.c.Kind == when.SessionNotFound { // which has 404 all the same
		status = 422
	}
	return runtime.ErrorObject{Code: 4000 + int64(e.c.Kind), Message: "not now: " + e.c.Reason, HTTPStatus: status}
}

// TestRefusalsAreDeclared: what the transport refuses is answered as the schema says, which needs no methods of its own for that.
func TestRefusalsAreDeclared(t *testing.T) {
	w := newWorkshop()
	w.Declares = func(c runtime.Condition) error { return &refusedError{c} }
	s := newSite(t, w, Options{MaxBody: 4 << 10, MaxSessionsPerClient: 1, ClientOf: byHeader})
	session := s.begin("2025-11-25")
	stream := s.open(context.Background(), "GET", "", session...)
	defer stream.Body.Close()
	if a := s.send("POST", initializeWith("")); a.status != 429 || !strings.Contains(a.body, `{"code":4006,"message":"not now: this client has too many sessions"}`) {
		t.Error(a)
	}
	if a := s.send("POST", strings.Repeat(" ", 5<<10)); a.status != 422 || !strings.Contains(a.body, `{"code":4008,"message":"not now: "}`) {
		t.Error(a)
	}
	s.handler.closing.Store(true)
	if a := s.callStateless("echo"); a.status != 503 || !strings.Contains(a.body, `{"code":4007,"message":"not now: the server is shutting down"}`) {
		t.Error(a)
	}
}

// TestUnknownSessionIsDeclared: messages of sessions that are not there are answered as the schema says, but always with the status by which clients
// know it.
func TestUnknownSessionIsDeclared(t *testing.T) {
	w := newWorkshop()
	w.Declares = func(c runtime.Condition) error { return &refusedError{c} }
	s := newSite(t, w, Options{SSE: true})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	expect := func(what string, status int, body, advice string) {
		t.Helper()
		if want := fmt.Sprintf(`{"code":%d,"message":"not now: %s"}`, 4000+int(when.SessionNotFound), advice); status != 404 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	over := s.begin("2025-11-25")
	if a := s.send("DELETE", "", over...); a.status != 204 {
		t.Fatal(a)
	}
	for what, session := range map[string]string{"over": over[0], "unknown": "Mcp-Session-Id: x", "too long": "Mcp-Session-Id: " + strings.Repeat("x", 100)} {
		for method, msg := range map[string]string{"POST": ping, "GET": "", "DELETE": ""} {
			a := s.send(method, msg, session, "MCP-Protocol-Version: 2025-11-25")
			expect(what+" "+method, a.status, a.body, "initialize a new one")
		}
	}
	r := httptest.NewRequest("POST", s.HTTP.URL+"/?sessionId=x", strings.NewReader(ping))
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.handler.ServeHTTP(answer, r)
	expect("SSE", answer.Code, answer.Body.String(), "open a stream by GET")
}
