package mcphttp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestClientListensBefore: after the handshake the separate stream is open, for servers that do not keep messages. A server
// that does not say whether it has such a stream is not waited for long.
func TestClientListensBefore(t *testing.T) {
	for name, silent := range map[string]bool{"a server that answers late": false, "a server that does not answer": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const late = 50 * time.Millisecond
				server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					switch {
					case r.Method == http.MethodGet:
						time.Sleep(late)
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
				})}
				defer server.Close()
				p := NewPipes()
				go server.Serve(p)
				begun, want := time.Now(), late
				open(t, dial(t, "http://localhost/", newInbox(), ClientOptions{HTTP: p.Client(t)}))
				if silent {
					want = patience
				}
				if took := time.Since(begun); took != want {
					t.Errorf("the handshake takes %v, and not %v", took, want)
				}
			})
		})
	}
}
