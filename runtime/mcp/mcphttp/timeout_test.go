package mcphttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// slow is a method of a server's own whose handler exceeds its timeout.
type slow struct{ release chan struct{} }

func (s slow) Handle(ctx context.Context, c *runtime.Call) {
	if c.Method() != "own/slow" {
		c.MethodNotFound("")
		return
	}
	for c.OptionalParams("") {
		c.Reader().Raw()
	}
	c.WithTimeout(ctx, 20*time.Millisecond)
	<-s.release
	c.ReturnEmpty()
}

func (slow) Protocol() runtime.Protocol        { return runtime.Protocol{} }
func (slow) Condition(runtime.Condition) error { return nil }
func (slow) Hooks() runtime.Hooks              { return runtime.Hooks{Deadlines: true} }

// TestTimeoutOfMethod: a method of the server's own answers at its timeout, in both eras, although its handler does not return.
func TestTimeoutOfMethod(t *testing.T) {
	for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
		t.Run(revision, func(t *testing.T) {
			h := slow{make(chan struct{})}
			declarations, o := shop.Configure("")
			declarations.Own = h
			s := newSite(t, &workshop.Workshop{Server: mcp.NewServer(declarations, o)}, Options{})
			if revision == mcp.Revision20260728 {
				const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
				answer := s.send("POST", `{"jsonrpc":"2.0","id":1,"method":"own/slow","params":{`+meta+`}}`, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: own/slow")
				if !strings.Contains(answer.body, "timed out") {
					t.Error(answer)
				}
			} else {
				conn, err := Dial(s.HTTP.URL, ClientOptions{})(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				c := conn.(*client)
				defer c.Close()
				call := func(method, params string) (err error) {
					q := gen.NewRequest(c, method)
					defer q.Close(&err)
					q.Send(t.Context(), append(q.Params(), params...))
					q.NoResult(nil)
					return q.Err()
				}
				if err := call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`); err != nil {
					t.Fatal(err)
				}
				if err := call("own/slow", "{}"); err == nil || !strings.Contains(err.Error(), "timed out") {
					t.Error(err)
				}
			}
			close(h.release)
		})
	}
}

// deadline is when a body has to be there.
type deadline struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadline) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}

// body fails as one of which a part has come.
type body struct{}

func (body) Read([]byte) (int, error) { return 0, context.DeadlineExceeded }

// TestTimeOfAuth: the time that it takes to verify a token is not that of the client for its body.
func TestTimeOfAuth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newWorkshop().Server, Options{Auth: &Auth{Verify: func(context.Context, string, *http.Request) (Principal, error) {
			time.Sleep(time.Minute)
			return Principal{ID: "ann"}, nil
		}}})
		defer h.Close()
		w, r := &deadline{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequest(http.MethodPost, "http://localhost/mcp", body{})
		r.Header = http.Header{"Content-Type": {typeJSON}, "Authorization": {"Bearer t"}}
		h.ServeHTTP(w, r)
		if left := time.Until(w.at); w.Code != http.StatusBadRequest || left != 30*time.Second {
			t.Errorf("got %d, and the body has %v", w.Code, left)
		}
	})
}
