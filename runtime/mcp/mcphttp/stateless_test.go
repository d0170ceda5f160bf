package mcphttp

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/await"
)

func TestStatelessCall(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	a := s.callStateless("echo")
	want := `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"said":""}`
	if a.status != 200 || a.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(a.body, want) {
		t.Error(a)
	}
}

// TestStatelessStream: the first notification of a request turns its answer into a stream, whose last event is the response.
func TestStatelessStream(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	resp := s.open(context.Background(), "POST", statelessCall(1, "count", `,"progressToken":"p"`), statelessHeaders("tools/call", "count")...)
	defer resp.Body.Close()
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Cache-Control": "no-cache, no-transform"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	l := linesOf(t, resp.Body)
	for range 3 {
		l.want(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":`)
	}
	l.want(`data: {"jsonrpc":"2.0","id":1,"result":{`)
	l.end()
}

func TestStatelessRefusals(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{MaxBody: 2 << 10})
	good := statelessHeaders("tools/call", "echo")
	body := statelessCall(1, "echo", "")
	for name, c := range map[string]struct {
		method, body string
		headers      []string
		status       int
		want         string
	}{
		"GET":                {"GET", "", good, 405, `"code":-32600`},
		"GET, a session id":  {"GET", "", append(good, "Mcp-Session-Id: x"), 405, `"code":-32600`},
		"DELETE":             {"DELETE", "", good, 405, `"code":-32600`},
		"PUT":                {"PUT", "", good, 405, `"code":-32600`},
		"no type":            {"POST", body, append(good, "Content-Type: "), 415, "application/json"},
		"text":               {"POST", body, append(good, "Content-Type: text/plain"), 415, "application/json"},
		"charset":            {"POST", body, append(good, "Content-Type: application/json; charset=utf-8"), 200, `"id":1`},
		"accepts JSON only":  {"POST", body, append(good, "Accept: application/json"), 406, "text/event-stream"},
		"accepts no stream":  {"POST", body, append(good, "Accept: application/json, text/event-stream;q=0"), 406, "text/event-stream"},
		"accepts all":        {"POST", body, append(good, "Accept: */*"), 200, `"id":1`},
		"accepts nothing":    {"POST", body, append(good, "Accept: "), 200, `"id":1`},
		"empty":              {"POST", "", good, 400, `-32700`},
		"no JSON":            {"POST", "{", good, 400, `{"jsonrpc":"2.0","error":{"code":-32700`},
		"no object":          {"POST", "7", good, 400, `-32600`},
		"a batch":            {"POST", "[" + body + "]", good, 400, `-32600`},
		"a response":         {"POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, good, 400, `-32600`},
		"too large":          {"POST", strings.Repeat(" ", 3<<10) + body, good, 413, `"maxSize":2048`},
		"no _meta":           {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, good, 400, `"id":1,"error":{"code":-32602`},
		"other version":      {"POST", body, append(good, "MCP-Protocol-Version: 2025-11-25"), 400, `"id":1,"error":{"code":-32020`},
		"no version":         {"POST", body, append(good, "MCP-Protocol-Version: "), 400, `"id":1,"error":{"code":-32020`},
		"other method":       {"POST", body, append(good, "Mcp-Method: tools/list"), 400, `"id":1,"error":{"code":-32020`},
		"other name":         {"POST", body, append(good, "Mcp-Name: wait"), 400, `"id":1,"error":{"code":-32020`},
		"encoded name":       {"POST", body, append(good, "Mcp-Name: =?base64?ZWNobw==?="), 200, `"id":1`},
		"unknown version":    {"POST", strings.Replace(body, "2026-07-28", "v9", 1), append(good, "MCP-Protocol-Version: v9"), 400, `"requested":"v9"`},
		"unknown method":     {"POST", strings.Replace(body, "tools/call", "ping", 1), append(good, "Mcp-Method: ping"), 404, `"id":1,"error":{"code":-32601`},
		"a notification":     {"POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, good, 202, ""},
		"unknown tool":       {"POST", strings.Replace(body, "echo", "ecko", 1), append(good, "Mcp-Name: ecko"), 400, `-32602`},
		"panic":              {"POST", strings.Replace(body, "echo", "panic", 1), append(good, "Mcp-Name: panic"), 200, `"code":-32603`},
		"ignored session id": {"POST", body, append(good, "Mcp-Session-Id: x", "Last-Event-ID: y"), 200, `"id":1`},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.send(c.method, c.body, c.headers...)
			if a.status != c.status || !strings.Contains(a.body, c.want) || c.want == "" && a.body != "" {
				t.Errorf("got %d %s", a.status, a.body)
			}
			if a.status == 405 && a.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			if a.body != "" && a.header.Get("Content-Type") != "application/json" {
				t.Error(a.header)
			}
		})
	}
}

// TestStatelessOnly: without revisions that have sessions, what is left of them is refused.
func TestStatelessOnly(t *testing.T) {
	s := newSite(t, newWorkshop("2026-07-28"), Options{})
	a := s.send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if a.status != 400 || !strings.Contains(a.body, `"code":-32022`) || a.header.Get("Mcp-Session-Id") != "" {
		t.Error(a)
	}
	if a := s.send("GET", "", "Mcp-Session-Id: x"); a.status != 405 || a.header.Get("Allow") != "POST" {
		t.Error(a)
	}
}

func TestListen(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	resp := s.open(context.Background(), "POST", `{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+
		statelessMeta+`}}}`, statelessHeaders("subscriptions/listen", "")...)
	defer resp.Body.Close()
	l := linesOf(t, resp.Body)
	l.want(`data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}`)
	s.Server.ToolsChanged()
	l.want(`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"`)
	go s.handler.Shutdown(context.Background())
	l.want(`data: {"jsonrpc":"2.0","id":"sub","result":{"resultType":"complete"`)
	l.end()
	await.Until(t, "503 after Shutdown", func() bool { return s.callStateless("echo").status == 503 })
}

// TestStatelessDisconnect: closing the connection cancels the request.
func TestStatelessDisconnect(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, _ := http.NewRequestWithContext(ctx, "POST", s.HTTP.URL, strings.NewReader(statelessCall(1, "wait", "")))
		r.Header.Set("Content-Type", "application/json")
		for _, h := range statelessHeaders("tools/call", "wait") {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		if resp, err := s.Client.Do(r); err == nil {
			resp.Body.Close()
			t.Error("there is an answer")
		}
	}()
	<-s.Begun
	cancel()
	<-done
	if err := <-s.Cancelled; err != context.Canceled {
		t.Error(err)
	}
}

// TestStatelessRounds: a handler that asks is run again with the answer.
func TestStatelessRounds(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	a := s.callStateless("ask")
	if a.status != 200 || !strings.Contains(a.body, `"resultType":"input_required"`) {
		t.Fatal(a)
	}
	_, state, _ := strings.Cut(a.body, `"requestState":"`)
	state, _, _ = strings.Cut(state, `"`)
	body := strings.Replace(statelessCall(2, "ask", ""), `"name":"ask",`,
		`"name":"ask","requestState":"`+state+`","inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}},`, 1)
	if a := s.send("POST", body, statelessHeaders("tools/call", "ask")...); !strings.Contains(a.body, "hello Ada") {
		t.Error(a)
	}
}
