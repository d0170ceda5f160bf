package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// script is a server with scripted answers.
type script struct {
	*httptest.Server
	mu    sync.Mutex
	heard []*http.Request
}

// play starts a server that calls answer with every request and its body.
func play(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body string)) *script {
	s := &script{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.heard = append(s.heard, r)
		s.mu.Unlock()
		answer(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func sendStream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, text)
}

// TestClientReconnects: a stream that the server closes is gone on with, after the time that it wants, where it was: before an event that was cut.
func TestClientReconnects(t *testing.T) {
	var closed time.Time
	s := play(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		switch {
		case r.Method == "POST":
			closed = time.Now()
			sendStream(w, "id: event-1\nretry: 200\ndata: \n\n")
		case r.Header.Get("Last-Event-ID") == "event-1":
			if waited := time.Since(closed); waited < 190*time.Millisecond {
				t.Error("it came back after", waited)
			}
			sendStream(w, "id: event-2\nretry: 60\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\nid: event-3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"res")
		case r.Header.Get("Last-Event-ID") == "event-2" && len(r.Header.Values("Mcp-Session-Id")) == 0:
			sendStream(w, "event: message\nid: event-3\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n")
		}
	})
	in := newInbox()
	c := dial(t, s.URL, in, ClientOptions{})
	reply, err := call(handshakeContext(), c, "tools/call", "{}")
	if err != nil || !strings.Contains(reply, `"result":{}`) || len(in.notes) != 1 {
		t.Error(reply, err, len(in.notes))
	}
}

// TestClientSessionOverInMidCall: a call whose stream was cut may have been executed, so it is not one to be made again when its session has ended.
func TestClientSessionOverInMidCall(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method == "POST" {
			sendStream(w, "id: event-1\nretry: 50\ndata: \n\n")
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	c := dial(t, s.URL, newInbox(), ClientOptions{})
	if reply, err := call(handshakeContext(), c, "tools/call", "{}"); !errors.Is(err, errCut) || errors.Is(err, ErrSessionOver) {
		t.Error(reply, err)
	}
}

// TestClientListensAnew: the separate stream of a session that has ended, which a server may keep open, does not stand for that of the next one.
func TestClientListensAnew(t *testing.T) {
	sessions, heard := 0, make(chan string, 2)
	s := play(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == "GET":
			sendStream(w, ":\n\n")
			w.(http.Flusher).Flush()
			heard <- r.Header.Get("Mcp-Session-Id")
			<-r.Context().Done()
		case strings.Contains(body, `"initialize"`):
			sessions++
			w.Header().Set("Mcp-Session-Id", strconv.Itoa(sessions))
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":`+strconv.Itoa(sessions)+`,"result":{}}`)
		default:
			w.WriteHeader(202)
		}
	})
	c := dial(t, s.URL, newInbox(), ClientOptions{})
	for _, want := range []string{"1", "2"} {
		open(t, c)
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("listens in the session %s", got)
			}
		case <-time.After(time.Minute):
			t.Errorf("does not listen in the session %s", want)
		}
	}
}

// TestClientBlocked: a handler that blocks keeps no response waiting for long.
func TestClientBlocked(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		for range 3 {
			sendStream(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
		}
		sendStream(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n\n")
	})
	in := &inbox{notes: make(chan string)}
	c := dial(t, s.URL, in, ClientOptions{})
	if reply, err := call(handshakeContext(), c, "tools/list", "{}"); err != nil || !strings.Contains(reply, `{"a":1}`) {
		t.Error(reply, err)
	}
	for range 3 {
		<-in.notes
	}
}

// TestClientUnanswered: the answer to a question is sent again while the server is not available. If it cannot be sent, the call that the question belongs
// to fails, and is cancelled at the server, which waits for the answer.
func TestClientUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		refusals, status int
		want             string
	}{"late": {3, http.StatusBadGateway, ""}, "never": {100, http.StatusForbidden, "could not be answered: mcphttp: the server answered 403"}} {
		t.Run(name, func(t *testing.T) {
			answered, cancelled := make(chan struct{}), make(chan struct{})
			var tries atomic.Int32
			s := play(t, func(w http.ResponseWriter, r *http.Request, body string) {
				switch {
				case strings.Contains(body, `"tools/call"`):
					sendStream(w, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{}}\n\n")
					w.(http.Flusher).Flush()
					select {
					case <-answered:
						sendStream(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
					case <-r.Context().Done():
					}
				case strings.Contains(body, "notifications/cancelled"):
					close(cancelled)
					w.WriteHeader(http.StatusAccepted)
				case int(tries.Add(1)) <= c.refusals:
					w.WriteHeader(c.status)
				default:
					w.WriteHeader(http.StatusAccepted)
					close(answered)
				}
			})
			conn := dial(t, s.URL, newInbox(), ClientOptions{})
			_, err := call(handshakeContext(), conn, "tools/call", "{}")
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			if c.want != "" {
				<-cancelled
			}
		})
	}
}
