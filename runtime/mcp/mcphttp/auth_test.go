package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web/gatetest"
)

// verify knows tokens that name their principal.
func verify(_ context.Context, token string, _ *http.Request) (Principal, error) {
	switch token {
	case "ada", "bob":
		return Principal{ID: token, Claims: "from " + token}, nil
	case "narrow":
		return Principal{}, &InsufficientScopeError{Scopes: []string{"tools:call", "tools:list"}}
	case "odd":
		return Principal{}, &InsufficientScopeError{Scopes: []string{"a\"b", `a\b`, "tools:call", "a\r\nX-B: c", "\u00e9", "x\x7f"}}
	case "down":
		return Principal{}, fmt.Errorf("introspection: %w", ErrUnavailable)
	case "nameless":
		return Principal{}, nil
	}
	return Principal{}, errors.New("expired")
}

func newAuthSite(t *testing.T) *site {
	return newSite(t, newWorkshop(), Options{Auth: &Auth{
		Verify: verify, Resource: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://as.example.com"},
		Scopes: []string{"tools:list"},
	}})
}

func TestAuth(t *testing.T) {
	s := newAuthSite(t)
	const where = `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	for name, c := range map[string]struct {
		authorization string
		status        int
		challenge     string
	}{
		"none":         {"", 401, where + `, scope="tools:list"`},
		"other scheme": {"Basic YTpi", 401, where + `, scope="tools:list"`},
		"no token":     {"Bearer ", 401, where + `, scope="tools:list"`},
		"bad":          {"Bearer old", 401, where + `, error="invalid_token", scope="tools:list"`},
		"nameless":     {"Bearer nameless", 401, where + `, error="invalid_token", scope="tools:list"`},
		"narrow":       {"Bearer narrow", 403, where + `, error="insufficient_scope", scope="tools:call tools:list"`},
		"odd":          {"Bearer odd", 403, where + `, error="insufficient_scope", scope="tools:call a X-B: c"`}, // "a b" is two scopes
		"down":         {"Bearer down", 503, ""},
		"good":         {"Bearer ada", 200, ""},
		"other case":   {"bearer ada", 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.callStateless("whoami", "Authorization: "+c.authorization)
			if a.status != c.status || a.header.Get("WWW-Authenticate") != c.challenge {
				t.Error(a)
			}
			if a.status == 200 && !strings.Contains(a.body, `"said":"ada from ada"`) {
				t.Error(a.body)
			}
		})
	}
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		if a := s.send(method, ""); a.status != 401 {
			t.Error(method, a)
		}
	}
}

// TestAuthSession: only the principal that opened a session can use it.
func TestAuthSession(t *testing.T) {
	s := newAuthSite(t)
	session := s.begin("2025-11-25", "Authorization: Bearer ada")
	if a := s.send("POST", sessionCallOf("1", "whoami", ""), session...); !strings.Contains(a.body, "ada from ada") {
		t.Error(a)
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if a := s.send(method, sessionCallOf("1", "whoami", ""), append(session, "Authorization: Bearer bob")...); a.status != 404 {
			t.Error(method, a)
		}
	}
}

func TestMetadata(t *testing.T) {
	s := newAuthSite(t)
	resp, err := s.Client.Get(s.HTTP.URL + MetadataPath("https://mcp.example.com/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	const want = `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example.com"],"scopes_supported":["tools:list"],"bearer_methods_supported":["header"]}`
	if err != nil || resp.StatusCode != 200 || string(body) != want || resp.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error(err, resp.StatusCode, string(body))
	}
	for resource, want := range map[string]string{
		"https://mcp.example.com": wellKnown, "https://mcp.example.com/": wellKnown, "https://mcp.example.com/a/b": wellKnown + "/a/b",
	} {
		if got := MetadataPath(resource); got != want {
			t.Error(resource, got)
		}
	}
}

func TestAuthMisconfigured(t *testing.T) {
	for name, a := range map[string]Auth{
		"no Verify":   {Resource: "https://mcp.example.com", AuthorizationServers: []string{"https://as.example.com"}},
		"no resource": {Verify: verify, AuthorizationServers: []string{"https://as.example.com"}},
		"fragment":    {Verify: verify, Resource: "https://mcp.example.com#x", AuthorizationServers: []string{"https://as.example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			NewHandler(newWorkshop().Server, Options{Auth: &a})
		})
	}
}

// TestTokens serves fixed tokens: there is no metadata, and a challenge names no issuer.
func TestTokens(t *testing.T) {
	w := newWorkshop()
	h := NewHandler(w.Server, Options{Auth: Tokens(map[string]string{"ann's": "ann", "bob's": "bob"})})
	for token, want := range map[string]struct {
		status    int
		challenge string
	}{
		"":      {http.StatusUnauthorized, "Bearer"},
		"eve's": {http.StatusUnauthorized, `Bearer error="invalid_token"`},
		"bob's": {http.StatusOK, ""},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-06-18")
		r.Host = "localhost"
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if unauthorized := answer.Code == http.StatusUnauthorized; unauthorized != (want.status == http.StatusUnauthorized) || answer.Header().Get("WWW-Authenticate") != want.challenge {
			t.Errorf("%q: %d %v", token, answer.Code, answer.Header())
		}
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, wellKnown, nil))
	if answer.Code == http.StatusOK {
		t.Errorf("metadata of nothing: %s", answer.Body)
	}
}

// TestGate: few tokens are verified at the same time, and a panic of Verify is an answer.
func TestGate(t *testing.T) {
	gatetest.Run(t, gatetest.Server{
		New: func(s gatetest.Settings) http.Handler {
			return NewHandler(newWorkshop().Server, Options{
				Runtime: runtime.Options{Logger: s.Log}, MaxCalls: s.Max, MaxCallsPerClient: s.MaxEach,
				Auth: &Auth{Verify: func(context.Context, string, *http.Request) (Principal, error) { return Principal{}, s.Verify() }},
			})
		},
		Request: func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{}`))
			r.Header.Set("Authorization", "Bearer token")
			return r
		},
	})
}
