package backendtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Replay starts an HTTP server that answers as a recording does, for as long as the test runs. A request is answered by the first exchange with an equal
// request that has not been used, or else by the last one that has. A request that the recording does not have fails the test, with what differs from the
// exchange that comes closest, and is answered with 501.
//
// Requests are equal if method, path, query and body are, and the headers that the recording has. JSON counts by what it says, the order of parameters does not
// count, and the path may lack what comes before the paths of the schema. Credentials do not count.
func Replay(t testing.TB, recording string) *httptest.Server {
	t.Helper()
	all, err := read(recording)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, name: recording, all: all}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s
}

// player answers requests from a recording.
type player struct {
	t    testing.TB
	name string

	mu  sync.Mutex
	all []*exchange
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("%s %s: the body cannot be read: %v", r.Method, r.URL, err)
	}
	got := &message{Method: r.Method, URL: r.URL.RequestURI(), Headers: map[string]string{}, Body: string(body)}
	for name, values := range r.Header {
		got.Headers[name] = strings.Join(values, ", ")
	}
	e, why := p.find(got)
	if e == nil {
		p.t.Errorf("%s %s: no exchange of %s has this request%s", got.Method, got.URL, p.name, why)
		http.Error(w, "the recording does not have this request", http.StatusNotImplemented)
		return
	}
	for name, value := range e.Response.Headers {
		if !slices.Contains([]string{"Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection"}, http.CanonicalHeaderKey(name)) {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(e.Response.Status)
	_, _ = io.WriteString(w, e.Response.Body)
}

// find returns the exchange that a request is answered by, or what differs from the closest.
func (p *player) find(got *message) (best *exchange, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var closest []string
	var close *exchange
	for _, e := range p.all {
		different := differences(&e.Request, got)
		switch {
		case len(different) == 0 && !e.used:
			e.used = true
			return e, ""
		case len(different) == 0:
			best = e
		case close == nil || len(different) < len(closest):
			closest, close = different, e
		}
	}
	if best != nil || close == nil {
		return best, ""
	}
	return nil, fmt.Sprintf("; of line %d differs: %s", close.line, strings.Join(closest, "; "))
}
