package mcpnats

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// post sends a message of a session to a replica; session is empty for a new one.
func post(h http.Handler, session, message string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	h.ServeHTTP(w, r)
	return w
}

// postAs sends a message as a principal.
func postAs(who string, h *mcphttp.Handler, session, message string) *httptest.ResponseRecorder {
	return post(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(principal.With(r.Context(), who)))
	}), session, message)
}

// hello is an initialize request of a client with a name.
func hello(name string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + name + `","version":"1"}}}`
}

func search(query string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"` + query + `"}}}`
}

// TestLargeRequest: a request that is larger than what NATS carries is answered 413 where it would have to be passed on, and served at the home of its
// session, which goes on.
func TestLargeRequest(t *testing.T) {
	f := newFleet(t, 2)
	home, other := f.all[0].handler, f.all[1].handler
	session := post(home, "", hello("n")).Header().Get("Mcp-Session-Id")
	large := search("x") + strings.Repeat(" ", 1<<20)
	if w := post(other, session, large); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"maxSize":1048064`) {
		t.Error(w.Code, w.Body)
	}
	if w := post(home, session, large); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
	if w := post(other, session, search("x")); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
}

// TestNoRoom: when there is no room for more records, initialize is answered 503 with Retry-After, and so is a request that makes a record longer; the
// sessions that are there are served by each replica. Once others have ended, sessions can begin again, and the longer record is saved.
func TestNoRoom(t *testing.T) {
	f := newFleet(t, 2, Options{MaxBytes: 20 << 10})
	h := f.all[0].handler
	name := strings.Repeat("n", 4<<10)
	var sessions []string
	w := post(h, "", hello(name))
	for w.Code == http.StatusOK && len(sessions) < 10 {
		sessions = append(sessions, w.Header().Get("Mcp-Session-Id"))
		w = post(h, "", hello(name))
	}
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || w.Header().Get("Mcp-Session-Id") != "" || len(sessions) == 0 {
		t.Fatal(len(sessions), w.Code, w.Header(), w.Body)
	}
	const subscribe = `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"shop://catalogue"}}`
	for range 2 {
		if w := post(h, sessions[0], subscribe); w.Code != http.StatusServiceUnavailable {
			t.Error("a change was not saved, and answered with", w.Code, w.Body)
		}
		for _, session := range sessions {
			for _, r := range f.all {
				if w := post(r.handler, session, search("x")); w.Code != http.StatusOK {
					t.Error(w.Code, w.Body)
				}
			}
		}
	}
	for _, session := range sessions[1:] {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
		r.Header.Set("Mcp-Session-Id", session)
		if h.ServeHTTP(w, r); w.Code != http.StatusNoContent {
			t.Error(w.Code, w.Body)
		}
	}
	for session, message := range map[string]string{"": hello(name), sessions[0]: search("x")} {
		if w := post(h, session, message); w.Code != http.StatusOK {
			t.Error(w.Code, w.Body)
		}
	}
	b := f.site.backplane(Options{})
	await.Until(t, "the change that could not be saved is saved later", func() bool {
		text, _, err := b.Load(within(t), sessions[0])
		return err == nil && strings.Contains(string(text), "shop://catalogue")
	})
}

// TestShareOfSessions: one principal does not fill the bucket of sessions for others, however many replicas she opens sessions at. Those that she has go on, and
// once they have ended she can begin others.
func TestShareOfSessions(t *testing.T) {
	f := newFleet(t, 2, Options{MaxBytes: 400 << 10})
	name := strings.Repeat("n", 8<<10)
	var sessions [2][]string
	for i, w := 0, (*httptest.ResponseRecorder)(nil); ; i++ {
		at := i % 2
		if w = postAs("mallory", f.all[at].handler, "", hello(name)); w.Code != http.StatusOK {
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Error(w.Code, w.Body)
			}
			break
		}
		sessions[at] = append(sessions[at], w.Header().Get("Mcp-Session-Id"))
	}
	const most = 400 / 2 / 8
	if n := len(sessions[0]) + len(sessions[1]); n < most/2 || n > most {
		t.Errorf("one principal has %d sessions", n)
	}
	w := postAs("ann", f.all[0].handler, "", hello(name))
	if w.Code != http.StatusOK {
		t.Fatal("another principal: ", w.Code, w.Body)
	}
	if w := postAs("ann", f.all[0].handler, w.Header().Get("Mcp-Session-Id"), search("x")); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
	if w := post(f.all[1].handler, "", hello(name)); w.Code != http.StatusOK {
		t.Error("nobody: ", w.Code, w.Body)
	}
	for at, all := range sessions {
		for _, session := range all {
			if w := postAs("mallory", f.all[at].handler, session, search("x")); w.Code != http.StatusOK {
				t.Error(w.Code, w.Body)
			}
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
			r.Header.Set("Mcp-Session-Id", session)
			if f.all[at].handler.ServeHTTP(w, r.WithContext(principal.With(r.Context(), "mallory"))); w.Code != http.StatusNoContent {
				t.Error(w.Code, w.Body)
			}
		}
	}
	if w := postAs("mallory", f.all[0].handler, "", hello(name)); w.Code != http.StatusOK {
		t.Error("after the others have ended: ", w.Code, w.Body)
	}
}
