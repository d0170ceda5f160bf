package mcphttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestClientListensBefore: after the handshake the separate stream is open, for servers that do not keep messages. A server
// that does not say whether it has such a stream is not waited for long.
func TestClientListensBefore(t *testing.T) {
	for name, silent := range map[string]bool{"a server that answers late": false, "a server that does not answer": true} {
		var opened atomic.Bool
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.Method == http.MethodGet:
				time.Sleep(50 * time.Millisecond)
				opened.Store(true)
				if !silent {
					w.Header().Set("Content-Type", typeStream)
					w.(http.Flusher).Flush()
				}
				<-r.Context().Done()
			case strings.Contains(string(body), `"initialize"`):
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set(headerSession, "one")
				io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		}))
		c := dial(t, server.URL, newInbox(), ClientOptions{})
		begun := time.Now()
		open(t, c)
		if took := time.Since(begun); !opened.Load() || took > time.Minute || silent && took < patience {
			t.Errorf("%s: the stream is open: %t, after %v", name, opened.Load(), took)
		}
		c.Close()
		server.Close()
	}
}
