package mcphttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func dialSSE(url string) mcpclient.Dialer {
	return DialSSE(url, ClientOptions{Runtime: runtime.Options{Logger: quiet}})
}

// TestSSE: what a client of a later transport can do, one of HTTP+SSE can do as well.
func TestSSE(t *testing.T) {
	for name, served := range map[string][]string{"2024-11-05": {"2024-11-05"}, "several": {"2024-11-05", "2025-06-18"}, "all": nil} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, newWorkshop(served...), Options{SSE: true, KeepAlive: time.Millisecond})
			changed := make(chan mcpclient.List, 9)
			client, err := mcpclient.Connect(context.Background(), dialSSE(s.HTTP.URL), mcpclient.Options{
				Logger: quiet,
				OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
					return mcp.ElicitResult{Action: "decline"}, nil
				},
				OnListChanged: func(_ context.Context, list mcpclient.List) { changed <- list },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if _, err := client.CallTool(context.Background(), "echo", rawJSON(t, `{"text":"`+strings.Repeat("long ", 1<<16)+`"}`)); err != nil {
				t.Error(err)
			}
			hear(t, s, client, changed)
			giveUp(t, s, client)
			done := make(chan error, 50)
			for range cap(done) {
				go func() {
					_, err := client.CallTool(context.Background(), "echo", rawJSON(t, `{"text":"hi"}`))
					done <- err
				}()
			}
			for range cap(done) {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// stream opens a stream of HTTP+SSE, and returns the path for messages.
func (s *site) stream(headers ...string) (events *bufio.Scanner, path string) {
	s.t.Helper()
	resp := s.open(context.Background(), "GET", "", append(headers, "Accept: text/event-stream")...)
	s.t.Cleanup(func() { resp.Body.Close() })
	events = bufio.NewScanner(resp.Body)
	if resp.StatusCode != 200 || !events.Scan() || events.Text() != "event: endpoint" || !events.Scan() {
		s.t.Fatal(resp.Status, events.Text())
	}
	return events, strings.TrimPrefix(events.Text(), "data: ")
}

// post posts a message to a path.
func (s *site) post(path, contentType, body, token string) int {
	s.t.Helper()
	r, err := http.NewRequest("POST", s.HTTP.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.Client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestSSERefuses: each message that does not belong to a session has an answer, and a malformed one is answered on the stream.
func TestSSERefuses(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{SSE: true, MaxBody: 100, MaxStreams: 1, Auth: Tokens(map[string]string{"a": "ann", "b": "bob"})})
	events, path := s.stream("Authorization: Bearer a")
	const ping, json = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "application/json"
	for name, c := range map[string]struct {
		path, kind, body, token string
		want                    int
	}{
		"taken":             {path, json, ping, "a", 202},
		"no token":          {path, json, ping, "", 401},
		"another principal": {path, json, ping, "b", 404},
		"unknown":           {"/?sessionId=x", json, ping, "a", 404},
		"empty":             {"/?sessionId=", json, ping, "a", 404},
		"type":              {path, "text/plain", ping, "a", 415},
		"large":             {path, json, strings.Repeat(" ", 101), "a", 413},
		"malformed":         {path, json, "{", "a", 202},
		"no session at all": {"/", json, ping, "a", 400},
	} {
		if got := s.post(c.path, c.kind, c.body, c.token); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := s.send("GET", "", "Authorization: Bearer b", "Accept: text/event-stream"); got.status != 503 && got.status != 429 {
		t.Error(got)
	}
	if got := s.send("GET", "", "Authorization: Bearer b", "Accept: application/json"); got.status != 406 {
		t.Error(got)
	}
	answers := ""
	for events.Scan() && !(strings.Contains(answers, `"id":1`) && strings.Contains(answers, "-32700")) {
		answers += events.Text()
	}
	off := newSite(t, newWorkshop(), Options{})
	if got := off.send("GET", "", "Accept: text/event-stream"); got.status != 405 {
		t.Error(got)
	}
	if got := off.post("/?sessionId=x", json, ping, ""); got != 400 {
		t.Error(got)
	}
	none := newSite(t, newWorkshop("2026-07-28"), Options{SSE: true})
	if got := none.send("GET", "", "Accept: text/event-stream"); got.status != 405 {
		t.Error(got)
	}
}

// TestSSEForeign: a picture on a page of another site opens no session.
func TestSSEForeign(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{SSE: true})
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.HTTP.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "image/avif, */*")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := s.Client.Do(r)
	stop() // a session would not end
	if err != nil || resp.StatusCode != 403 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
}

// TestSSEEnds: calls in flight are answered when the handler shuts down, and fail when a stream is cut.
func TestSSEEnds(t *testing.T) {
	s := newSite(t, newWorkshop("2024-11-05", "2025-06-18"), Options{SSE: true})
	asked, free := make(chan bool), make(chan bool)
	call := func(tool string) chan error {
		client, err := mcpclient.Connect(context.Background(), dialSSE(s.HTTP.URL), mcpclient.Options{
			Logger: quiet,
			OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				close(asked)
				<-free
				return mcp.ElicitResult{Action: "decline"}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		done := make(chan error, 1)
		go func() {
			_, err := client.CallTool(context.Background(), tool, rawJSON(t, `{}`))
			done <- err
		}()
		return done
	}
	cut := call("wait")
	<-s.Begun
	s.HTTP.CloseClientConnections()
	if err := <-cut; err == nil {
		t.Error("a call was answered without a stream")
	}
	<-s.Cancelled
	await.Until(t, "the session is over", func() bool { return s.handler.sse.count() == 0 })
	slow := call("ask")
	<-asked
	down := make(chan error)
	go func() { down <- s.handler.Shutdown(context.Background()) }()
	await.Until(t, "the handler shuts down", s.handler.closing.Load)
	close(free)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// count returns how many sessions there are.
func (t *sseSessions) count() (n int) {
	for range t.all.Range {
		n++
	}
	return n
}

// TestDialSSERefuses: what a server may do wrong is an error.
func TestDialSSERefuses(t *testing.T) {
	stream := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, text)
			w.(http.Flusher).Flush()
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"status":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }, "418"},
		"type":       {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }, "200 OK: hello"},
		"end":        {stream(""), "ended before"},
		"message":    {stream("data: {}\n\n"), `an event of type ""`},
		"other host": {stream("event: endpoint\ndata: http://evil.example.com/x\n\n"), "not one of the same server"},
		"no URL":     {stream("event: endpoint\ndata: :\n\n"), "not one of the same server"},
	} {
		server := httptest.NewServer(c.serve)
		if _, err := dialSSE(server.URL)(context.Background(), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	if _, err := dialSSE("ftp://x")(context.Background(), nil); err == nil {
		t.Error("no HTTP URL was taken")
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := dialSSE(silent.URL)(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	silent.Close()
}

// TestSSEPostFails: a call whose message the server does not take fails, and the session with it.
func TestSSEPostFails(t *testing.T) {
	var posts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			posts.Add(1)
			http.Error(w, "no more", 500)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /messages?x=1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	_, err := mcpclient.Connect(context.Background(), dialSSE(server.URL), mcpclient.Options{Logger: quiet})
	if e, ok := errors.AsType[*StatusError](err); !ok || e.Status != 500 || posts.Load() == 0 {
		t.Error(err)
	}
}

// TestMaySpeakSSE: a client finds out which of the transports a server has.
func TestMaySpeakSSE(t *testing.T) {
	old := newSite(t, newWorkshop("2024-11-05"), Options{SSE: true})
	only := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && !r.URL.Query().Has(sessionParam) {
			http.Error(w, "GET first", http.StatusMethodNotAllowed)
			return
		}
		old.handler.ServeHTTP(w, r)
	}))
	defer only.Close()
	o := mcpclient.Options{Logger: quiet}
	_, err := mcpclient.Connect(context.Background(), Dial(only.URL, ClientOptions{}), o)
	if !MaySpeakSSE(err) {
		t.Error(err)
	}
	client, err := mcpclient.Connect(context.Background(), dialSSE(only.URL), o)
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
	if MaySpeakSSE(errors.New("x")) || MaySpeakSSE(&StatusError{Status: 500}) {
		t.Error("any error is taken")
	}
}
