package mcphttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// stuck is a response that a client does not take before release is closed.
type stuck struct {
	*httptest.ResponseRecorder
	writing chan<- struct{}
	release <-chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	s.writing <- struct{}{}
	<-s.release
	return s.ResponseRecorder.Write(b)
}

// TestHeldAnswers: an answer that its client does not take counts, and there is room again when it was taken.
func TestHeldAnswers(t *testing.T) {
	text := strings.Repeat("x", 8<<10)
	for name, call := range map[string]func(s *site) (body string, headers []string){
		"stateless": func(*site) (string, []string) {
			body := strings.Replace(statelessCall(1, "echo", ""), `"name":"echo"`, `"name":"echo","arguments":{"text":"`+text+`"}`, 1)
			return body, statelessHeaders("tools/call", "echo")
		},
		"session": func(s *site) (string, []string) {
			return sessionCallOf("1", "echo", `,"arguments":{"text":"`+text+`"}`), s.begin("2025-11-25")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, newWorkshop(), Options{})
			body, headers := call(s)
			send := func(w http.ResponseWriter) {
				r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
				for _, h := range append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
					name, value, _ := strings.Cut(h, ": ")
					r.Header.Set(name, value)
				}
				s.handler.ServeHTTP(w, r)
			}
			w := httptest.NewRecorder()
			if send(w); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), text) {
				t.Fatal("a call is answered", w.Code, w.Body)
			}
			s.handler.memory = web.NewMemory(int64(3 * w.Body.Len())) // of answers; a client may have half of it
			writing, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
			first := httptest.NewRecorder()
			go func() {
				send(stuck{first, writing, release})
				close(ended)
			}()
			<-writing
			w = httptest.NewRecorder()
			if send(w); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "may have been executed") {
				t.Error("a second call is answered", w.Code, w.Body)
			}
			close(release)
			<-ended
			w = httptest.NewRecorder()
			if send(w); w.Code != http.StatusOK || first.Code != http.StatusOK || w.Body.Len() != first.Body.Len() {
				t.Error("a call after the first one is answered", w.Code, w.Body, first.Code, first.Body)
			}
		})
	}
}

// TestHeldEvents: an event for which there is no room ends its stream, which the client resumes.
func TestHeldEvents(t *testing.T) {
	h := NewHandler(newWorkshop().Server, Options{MaxBytes: 40 << 10})
	client := web.ClientOf("ann", httptest.NewRequest(http.MethodGet, "http://127.0.0.1/", nil), nil)
	out := web.NewEvents(httptest.NewRecorder(), &h.events, client)
	event := []byte(strings.Repeat("x", 12<<10))
	held, ok := h.memory.Hold(client, len(event))
	if err := out.Send("1", event); !ok || err == nil || err.Error() != web.NotTaken {
		t.Error(ok, err)
	}
	if err := out.Send("2", []byte("{}")); err != nil {
		t.Error("a small event", err)
	}
	held.Release()
	if err := out.Send("3", event); err != nil {
		t.Error(err)
	}
}
