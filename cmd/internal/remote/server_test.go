package remote

import (
	"bytes"
	"context"
	"io"
	"net"
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

// unused is an address at which nothing listens, and nothing else can while the test runs: the client's side of a connection has it.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// TestConnectAdvice: where nothing listens, and where no MCP is spoken, the error says what to do.
func TestConnectAdvice(t *testing.T) {
	at := unused(t)
	const start = "nothing listens at this address: start the server, or correct the URL"
	for url, want := range map[string]string{
		services(t, notes{})["http"].URL: "if it is a JSON-RPC service, and not one of MCP, call, explore, load and verify take it with --jsonrpc",
		"http://" + at:                   start,
		"tcp://" + at:                    start,
		"ws://" + at:                     start,
	} {
		s := &Server{URL: url, Login: Login{How: LoginNever}}
		run := (&Call{Tool: "note/add"}).Run
		if s.isPlain() {
			run = func(ctx context.Context, s *Server, t Terminal) error {
				return (&Call{Tool: "note/add"}).RunPlain(ctx, s, t, nil)
			}
		}
		err := run(t.Context(), s, terminal(new(bytes.Buffer), new(bytes.Buffer)))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
