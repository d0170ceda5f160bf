package remote

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestWrongToken: the error for a wrong token is the status of the server, whichever era it is of, and does not show the token.
func TestWrongToken(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusUnauthorized: "mcphttp: the server answered 401 Unauthorized: who is Bearer [secret]?",
		http.StatusForbidden:    "mcphttp: the server answered 403 Forbidden: who is Bearer [secret]?",
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, "who is "+r.Header.Get("Authorization")+"?")
		}))
		for _, era := range []mcp.Era{0, mcp.Handshake} {
			var shown bytes.Buffer
			s := &Server{URL: site.URL, Headers: []string{"Authorization: Bearer a-wrong-token"}, Era: era, Verbose: true, Login: Login{How: LoginAuto}}
			_, err := s.connect(t.Context(), Terminal{In: strings.NewReader(""), Out: io.Discard, Err: &shown})
			if err == nil || err.Error() != want {
				t.Errorf("%d, %s: %v", status, era, err)
			}
			if strings.Contains(shown.String(), "a-wrong-token") {
				t.Errorf("%d, %s: the token is shown: %s", status, era, shown.String())
			}
		}
		site.Close()
	}
}
