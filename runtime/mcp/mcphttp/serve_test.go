package mcphttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestServe: serving ends with its context, and what is in flight is answered.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkshop()
	h := NewHandler(w.Server, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- Serve(ctx, l, "/mcp", h) }()
	url := "http://" + l.Addr().String() + "/mcp"
	r, _ := http.NewRequest("POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},`+statelessMeta+`}}}`))
	r.Header = http.Header{"Content-Type": {typeJSON}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := linesOf(t, resp.Body)
	in.want(`data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"`)
	cancel()
	in.want(`data: {"jsonrpc":"2.0","id":1,"result":`)
	in.end()
	if err := <-served; err != context.Canceled {
		t.Error(err)
	}
	if err := l.(*net.TCPListener).SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Error("it is served still:", err)
	}
}

func TestServeMetadata(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	h := NewHandler(newWorkshop().Server, Options{Auth: &Auth{
		Verify: verify, Resource: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://as.example.com"},
	}})
	served := make(chan error)
	go func() { served <- Serve(t.Context(), l, "/mcp", h) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for path, status := range map[string]int{"/mcp": 401, wellKnown: 200, wellKnown + "/mcp": 200, "/": 404} {
		resp, err := client.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Error(path, resp.Status)
		}
	}
	l.Close() // serving ends with its listener, too
	if err := <-served; err == nil {
		t.Error("no error says that the listener was closed")
	}
}

// TestHealth: a process lives until something that it needs has ended for good, and is ready while it serves.
func TestHealth(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	check := func(h http.Handler) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		return w.Code, w.Body.String()
	}
	if status, body := check(s.handler.Readiness()); status != 200 {
		t.Error(status, body)
	}
	s.handler.Close()
	if status, body := check(s.handler.Readiness()); status != 503 || !strings.Contains(body, "shutting down") {
		t.Error(status, body)
	}
	var ended bool
	for _, want := range []int{200, 503} {
		if status, body := check(Live(func() bool { return false }, func() bool { return ended })); status != want {
			t.Error(status, body)
		}
		ended = true
	}
	if status, _ := check(Live()); status != 200 {
		t.Error(status)
	}
}
