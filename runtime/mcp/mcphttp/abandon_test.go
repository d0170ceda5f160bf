package mcphttp_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// TestAbandonedSession: a session whose opening answer is cut is ended by the client that asked for it, because it will ask for another one. It is ended a
// second time if the server was not available.
func TestAbandonedSession(t *testing.T) {
	ended, away := make(chan string, 1), new(atomic.Bool)
	away.Store(true)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete && away.Swap(false) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodDelete {
			ended <- r.Header.Get("Mcp-Session-Id")
			return
		}
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Mcp-Session-Id", "cut")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,`)
	}))
	defer site.Close()
	conn, err := mcphttp.Dial(site.URL, mcphttp.ClientOptions{Runtime: runtime.Options{Logger: slog.New(slog.DiscardHandler)}})(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.(io.Closer).Close()
	if reply, err := conn.Call(context.Background(), 1, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)); err == nil {
		t.Fatalf("a cut answer was taken: %s", reply)
	}
	if id := <-ended; id != "cut" {
		t.Errorf("the client ended the session %q", id)
	}
}
