package contract

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
)

// TestRedirects: what is sent to a server goes to no other host that the server names, and a redirect is an answer. Within the host it is followed.
func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"elsewhere"}`)
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/within":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		default:
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"`+r.Header.Get("X-Api-Key")+" of "+strconv.Itoa(len(body))+`"}`)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/away":   `{"jsonrpc":"2.0","id":1,"error":{"code":-31999,"message":"HTTP status 307 Temporary Redirect"}}`,
		"/within": `{"jsonrpc":"2.0","id":1,"result":"key of 8"}`,
	} {
		got := make(chan string, 1)
		p, err := (&Site{URL: server.URL + path, Header: http.Header{"X-Api-Key": {"key"}}}).open(t.Context(), func(m []byte) { got <- string(m) })
		if err != nil {
			t.Fatal(err)
		}
		if err := p.send(t.Context(), []byte(`{"id":1}`), nil); err != nil {
			t.Fatal(err)
		}
		if text := <-got; text != want {
			t.Errorf("%s: got %s, want %s", path, text, want)
		}
		p.(*posts).session = "s"
		if status := p.(*posts).remove(); (status == http.StatusTemporaryRedirect) != (path == "/away") {
			t.Errorf("%s: the session is removed with the status %d", path, status)
		}
		p.kill()
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}
