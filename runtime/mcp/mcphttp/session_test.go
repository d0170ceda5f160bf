package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

func TestSession(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	a := s.send("POST", sessionCallOf(`"a"`, "echo", ""), session...)
	if a.status != 200 || a.header.Get("Content-Type") != "application/json" || !strings.Contains(a.body, `"id":"a","result":{`) {
		t.Error(a)
	}
	if a := s.send("POST", "\ufeff"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`, session[0]); a.status != 200 || a.body != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(a)
	}
	if a := s.send("DELETE", "", session...); a.status != 204 {
		t.Error(a)
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if a := s.send(method, sessionCallOf("3", "echo", ""), session...); a.status != 404 {
			t.Error(method, a)
		}
	}
}

// TestSessionID: ids are visible ASCII, and no two are the same.
func TestSessionID(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	seen := map[string]bool{}
	for range 20 {
		id := strings.TrimPrefix(s.begin("2025-06-18")[0], "Mcp-Session-Id: ")
		if seen[id] || len(id) < 22 || strings.ContainsFunc(id, func(c rune) bool { return c < 0x21 || c > 0x7e }) {
			t.Error(id)
		}
		seen[id] = true
	}
}

func TestSessionRefusals(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	call := sessionCallOf("1", "echo", "")
	for name, c := range map[string]struct {
		method, body string
		headers      []string
		status       int
		want         string
	}{
		"no session":         {"POST", call, nil, 400, "Mcp-Session-Id"},
		"other session":      {"POST", call, []string{"Mcp-Session-Id: unknown"}, 404, "initialize"},
		"unknown version":    {"POST", call, append(session, "MCP-Protocol-Version: 1999-01-01"), 400, "1999-01-01"},
		"no version":         {"POST", call, append(session, "MCP-Protocol-Version: "), 200, `"result"`},
		"a batch":            {"POST", "[" + call + "]", session, 400, "-32600"},
		"no JSON":            {"POST", `{"jsonrpc":"2.0","id":1,"method":`, session, 400, "-32700"},
		"no JSON, no id":     {"POST", `{`, session, 400, "-32700"},
		"no JSON, no sesson": {"POST", `{`, nil, 400, "-32700"},
		"neither":            {"POST", `{"jsonrpc":"2.0"}`, session, 400, "-32600"},
		"bad response":       {"POST", `{"jsonrpc":"2.0","id":1,"result":{]}`, session, 400, "-32700"},
		"late response":      {"POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, session, 202, ""},
		"initialize again":   {"POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, session, 400, "Already"},
		"unknown method":     {"POST", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, session, 200, "-32601"},
		"bad initialize":     {"POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, nil, 200, "-32602"},
		"GET, no stream":     {"GET", "", append(session, "Accept: application/json"), 406, "event-stream"},
		"GET, no session":    {"GET", "", nil, 405, ""},
		"GET, unknown event": {"GET", "", append(session, "Last-Event-ID: 7-7"), 400, "no longer stored"},
		"GET, no event":      {"GET", "", append(session, "Last-Event-ID: ::"), 400, "no longer stored"},
		"stateless":          {"POST", statelessCall(1, "echo", ""), append(session, statelessHeaders("tools/call", "echo")...), 200, `"result"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.send(c.method, c.body, c.headers...)
			if a.status != c.status || !strings.Contains(a.body, c.want) {
				t.Errorf("got %d %s", a.status, a.body)
			}
			if c.headers == nil && a.header.Get("Mcp-Session-Id") != "" {
				t.Error("a session was opened")
			}
		})
	}
	if s.handler.sessions.opened != 1 {
		t.Error("sessions are left:", s.handler.sessions.opened)
	}
}

// TestSessionAsks: requests to the client go on the stream of the call, and the response comes in a request of its own.
func TestSessionAsks(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	resp := s.open(context.Background(), "POST", sessionCallOf("1", "ask", ""), session...)
	defer resp.Body.Close()
	l := linesOf(t, resp.Body)
	l.want("id: ")
	l.want("retry: 1000")
	l.want("data: ")
	l.want("id: ")
	if asked := l.want(`data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create"`); !strings.Contains(asked, "Who?") {
		t.Error(asked)
	}
	a := s.send("POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}`, session...)
	if a.status != 202 || a.body != "" {
		t.Error(a)
	}
	l.want("id: ")
	if result := l.want(`data: {"jsonrpc":"2.0","id":1,"result":`); !strings.Contains(result, "hello Ada") {
		t.Error(result)
	}
	l.end()
}

// TestSessionBeside: what is not about a request goes on the stream of GET, and is kept while there is none.
func TestSessionBeside(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	s.Server.ToolsChanged()
	const changed = `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"`
	first := s.open(context.Background(), "GET", "", session...)
	defer first.Body.Close()
	l := linesOf(t, first.Body)
	l.want("id: ")
	l.want(changed)
	s.Server.ToolsChanged()
	id := l.want("id: ")
	l.want(changed)

	second := s.open(context.Background(), "GET", "", append(session, "Last-Event-ID: "+id)...)
	defer second.Body.Close()
	l.end() // the second has taken its place
	s.Server.ToolsChanged()
	m := linesOf(t, second.Body)
	if next := m.want("id: "); next == id {
		t.Error("two events with the id", id)
	}
	m.want(changed)
	if a := s.send("DELETE", "", session...); a.status != 204 {
		t.Error(a)
	}
	m.end()
}

// TestSessionReconnect: a call closes its connection, and its client comes back for the answer.
func TestSessionReconnect(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{Retry: 50 * time.Millisecond})
	session := s.begin("2025-11-25")
	resp := s.open(context.Background(), "POST", sessionCallOf("9", "leave", ""), session...)
	l := linesOf(t, resp.Body)
	id := l.want("id: ")
	l.want("retry: 50")
	l.want("data: ")
	l.end()
	resp.Body.Close()
	for range 2 { // it may come back more than once
		resp = s.open(context.Background(), "GET", "", append(session, "Last-Event-ID: "+id)...)
		l = linesOf(t, resp.Body)
		l.want("id: ")
		l.want(`data: {"jsonrpc":"2.0","id":9,"result":`)
		l.end()
		resp.Body.Close()
	}
	old := s.begin("2025-06-18")
	if a := s.send("POST", sessionCallOf("9", "leave", ""), old...); !strings.Contains(a.body, "-32603") && !strings.Contains(a.body, `"isError":true`) {
		t.Error("a client that does not know the event without data:", a)
	}
}

// TestSessionDisconnect: a client that loses its connection does not cancel its call, and gets the rest later.
func TestSessionDisconnect(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	ctx, cancel := context.WithCancel(context.Background())
	resp := s.open(ctx, "POST", sessionCallOf("1", "ask", ""), session...)
	l := linesOf(t, resp.Body)
	id := l.want("id: ")
	l.want("retry: ")
	l.want("data: ")
	l.want("id: ")
	l.want(`data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create"`)
	cancel()
	resp.Body.Close()
	s.send("POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}`, session...)
	resp = s.open(context.Background(), "GET", "", append(session, "Last-Event-ID: "+id)...)
	defer resp.Body.Close()
	l = linesOf(t, resp.Body)
	l.want("id: ")
	l.want(`data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create"`)
	l.want("id: ")
	l.want(`data: {"jsonrpc":"2.0","id":1,"result":`)
	l.end()
}

// TestSessionCancel: ids are compared by value, those in flight and those that are cancelled.
func TestSessionCancel(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	for _, ids := range [][2]string{{`"w"`, `"\u0077"`}, {"40e-1", "4.0"}} {
		done := make(chan answer)
		go func() { done <- s.send("POST", sessionCallOf(ids[0], "wait", ""), session...) }()
		<-s.Begun
		if a := s.send("POST", sessionCallOf(ids[1], "echo", ""), session...); a.status != 400 {
			t.Error("an id in flight:", a)
		}
		s.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+ids[1]+`,"reason":"enough"}}`, session...)
		var cancelled *mcp.CancelledError
		if err := <-s.Cancelled; !errors.As(err, &cancelled) || cancelled.Reason != "enough" {
			t.Error(err)
		}
		if a := <-done; a.status != 202 || a.body != "" {
			t.Error(a)
		}
	}
}

// TestSessionCancelFirst: a cancellation is a request of its own, which may be served before the call that it cancels. Only the last ones wait
// for their calls.
func TestSessionCancelFirst(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	cancel := func(id, reason string) {
		s.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"`+reason+`"}}`, session...)
	}
	cancel(`"old"`, "too long ago")
	cancel(`"long"`, strings.Repeat("x", 1000))
	for i := range 15 {
		cancel(strconv.Itoa(100+i), "others")
	}
	cancel(`"w"`, "enough")
	if a := s.send("POST", sessionCallOf(`"w"`, "wait", ""), session...); a.status != 202 || a.body != "" {
		t.Error(a)
	}
	var cancelled *mcp.CancelledError
	if err := <-s.Cancelled; !errors.As(err, &cancelled) || cancelled.Reason != "enough" {
		t.Error(err)
	}
	for _, id := range []string{`"w"`, `"old"`, `"long"`, "1"} {
		if a := s.send("POST", sessionCallOf(id, "echo", `,"arguments":{"text":"hi"}`), session...); a.status != 200 || !strings.Contains(a.body, "hi") {
			t.Error(id, a)
		}
	}
}

// TestSessionCancelLate: a cancellation that comes after the answer does not cancel the next call with that id.
func TestSessionCancelLate(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	for _, id := range []string{"7", `"a"`, "7"} {
		if a := s.send("POST", sessionCallOf(id, "echo", `,"arguments":{"text":"hi"}`), session...); a.status != 200 || !strings.Contains(a.body, "hi") {
			t.Error(id, a)
		}
		s.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, session...)
	}
}

// TestSessionBatch: 2025-03-26 has arrays of messages; responses may be among them.
func TestSessionBatch(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-03-26")[:1]
	call := sessionCallOf("1", "echo", "")
	a := s.send("POST", `[`+call+`,{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, session...)
	if a.status != 200 || strings.Count(a.body, `"result"`) != 2 || strings.Contains(a.body, "error") {
		t.Error(a)
	}
	if a := s.send("POST", `[{"jsonrpc":"2.0","id":5,"result":{}}]`, session...); a.status != 202 {
		t.Error(a)
	}
	if a := s.send("POST", `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, session...); a.status != 202 {
		t.Error(a)
	}
	if a := s.send("POST", `[]`, session...); a.status != 400 {
		t.Error(a)
	}
}

func TestSessionLimits(t *testing.T) {
	o := Options{MaxSessions: 1}
	o.Runtime.MaxCalls = 1
	s := newSite(t, newWorkshop(), o)
	session := s.begin("2025-11-25")
	done := make(chan answer)
	go func() { done <- s.send("POST", sessionCallOf("1", "wait", ""), session...) }()
	<-s.Begun
	if a := s.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`); a.status != 503 {
		t.Error(a)
	}
	if a := s.send("POST", sessionCallOf("2", "echo", ""), session...); a.status != 503 {
		t.Error(a)
	}
	s.send("DELETE", "", session...)
	if err := <-s.Cancelled; err != errSessionOver {
		t.Error(err)
	}
	<-done
	s.begin("2025-11-25")
}

// TestSessionInvalidAnswer: an answer with neither a result nor an error, or with a method, fails the question at once.
func TestSessionInvalidAnswer(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	for i, members := range []string{"", `,"method":"m","params":{},"result":{}`, `,"error":{},"method":"m"`} {
		resp := s.open(context.Background(), "POST", sessionCallOf("1", "ask", ""), session...)
		defer resp.Body.Close()
		l := linesOf(t, resp.Body)
		l.find("elicitation/create")
		if a := s.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d%s}`, i+1, members), session...); a.status != 202 {
			t.Error(a)
		}
		l.find(`"isError":true`)
	}
	if a := s.send("POST", `{"jsonrpc":"2.0","id":7}`, session...); a.status != 400 {
		t.Error("the id of nothing:", a)
	}
}
