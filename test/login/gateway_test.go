package login

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// gate is a gateway, with a client that has a token of its own, and all that both have written.
type gate struct {
	*mcpclient.Client
	mount *mount.Gateway

	mu   sync.Mutex
	text strings.Builder
}

const tokenOfAnn = "token-of-ann-at-the-gateway"

// newGate starts a gateway that mounts the server at a URL with a login.
func newGate(t *testing.T, at, login string) *gate {
	t.Helper()
	c, err := mount.ParseConfig([]byte("servers: {books: {url: '" + at + "', login: " + login + "}}\nprincipals: {ann: {token: " + tokenOfAnn + ", allow: ['*']}}"))
	if err != nil {
		t.Fatal(err)
	}
	g := new(gate)
	fmt.Fprintf(g, "%+v", *c.Servers["books"].Login)
	if g.mount, err = mount.New(c, mount.Options{Logger: slog.New(slog.NewTextHandler(g, &slog.HandlerOptions{Level: slog.LevelDebug}))}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.mount.Close() })
	front := httptest.NewServer(g.mount.HTTP(mcphttp.Options{}))
	t.Cleanup(front.Close)
	dial := mcphttp.Dial(front.URL, mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + tokenOfAnn}}})
	if g.Client, err = mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Client.Close() })
	return g
}

// Write implements [io.Writer] for the log.
func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

// written returns what was written.
func (g *gate) written() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// call calls a tool and returns the text of its result.
func (g *gate) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	result, err := g.CallTool(t.Context(), tool, mcpdynamic.JSON(arguments))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	fmt.Fprintln(g, all)
	return strings.Join(all, " ")
}

// caller returns who the server takes the gateway for.
func (g *gate) caller(t *testing.T) string {
	t.Helper()
	return g.call(t, "books_look_up", `{"text":"tea"}`)
}

// until waits until the status of the server has a text.
func (g *gate) until(t *testing.T, want string) {
	t.Helper()
	await.Until(t, "the status has "+want, func() bool { return strings.Contains(g.call(t, "gateway_status", "{}"), want) })
}

// keepsSecrets fails the test if the client's token reaches the server, or a secret is written.
func (g *gate) keepsSecrets(t *testing.T, p *provider, more ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tokens[tokenOfAnn] {
		t.Error("the server gets the token of the client")
	}
	for token := range p.tokens {
		more = append(more, token)
	}
	text := g.written()
	for _, secret := range append(more, tokenOfAnn) {
		if strings.Contains(text, secret) {
			t.Errorf("%s is written: %s", secret, text)
		}
	}
}

// TestGatewayClient: the gateway logs in as itself, again when its token has expired and when the provider
// has another key.
func TestGatewayClient(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	t.Setenv("BOOKS_SECRET", robotsPassword)
	g := newGate(t, at, "{client: "+robot+", secret: $BOOKS_SECRET, issuer: '"+p.url+"'}")
	g.until(t, `"connected":true`)
	for _, change := range []func(){func() {}, p.expire, func() { p.rotate(t) }} {
		change()
		if who := g.caller(t); !strings.Contains(who, robot) {
			t.Errorf("the server is called by %s", who)
		}
	}
	if p.count("/oauth/token") < 3 {
		t.Errorf("%d requests for tokens", p.count("/oauth/token"))
	}
	g.keepsSecrets(t, p, robotsPassword)
}

// TestGatewayRefused: the authorization server refuses the gateway. The server is listed as down, with the
// reason.
func TestGatewayRefused(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	const guess = "guessed-password"
	g := newGate(t, at, "{client: "+robot+", secret: "+guess+"}")
	g.until(t, `"connected":false,"tools":0,"error":"the login of the gateway failed: `)
	err := g.mount.Ready(t.Context())
	for _, want := range []string{`the server "books" is not connected: `, "401 invalid_client"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if strings.Contains(fmt.Sprint(err), guess) {
		t.Errorf("a secret is in %v", err)
	}
	g.keepsSecrets(t, p, guess)
	other := newGate(t, at, "{client: "+robot+", secret: "+robotsPassword+", issuer: 'https://login.example'}")
	other.until(t, "the login of the gateway failed")
	other.keepsSecrets(t, p, robotsPassword)
}

// TestGatewayPerson: a person logs in once, and the gateway uses and refreshes the tokens in the folder. When
// they are not valid any more, the server is down until the person logs in again.
func TestGatewayPerson(t *testing.T) {
	p := newProvider(t)
	at := serve(t, p)
	folder := t.TempDir()
	login := func() {
		t.Helper()
		o := mcpauth.Options{Grant: person(password), Client: mcpauth.Client{ID: app}, Store: mcpauth.Files(filepath.Join(folder, "tokens"))}
		if who, err := caller(t, at, o); err != nil || who != "id1" {
			t.Fatalf("%q, %v", who, err)
		}
	}
	login()
	g := newGate(t, at, "{tokens: '"+filepath.Join(folder, "tokens")+"'}")
	g.until(t, `"connected":true`)
	p.expire()
	if who := g.caller(t); !strings.Contains(who, "id1") || p.count("/auth") != 1 {
		t.Errorf("the server is called by %s, after %d logins", who, p.count("/auth"))
	}
	if err := p.TerminateSession(t.Context(), "id1", app); err != nil {
		t.Fatal(err)
	}
	p.rotate(t)
	if result, err := g.CallTool(t.Context(), "books_look_up", mcpdynamic.JSON(`{"text":"tea"}`)); err != nil || !result.IsError.Or(false) {
		t.Errorf("got %v, %v", result, err)
	}
	g.until(t, "the server requires a login")
	login()
	g.until(t, `"connected":true`)
	if who := g.caller(t); !strings.Contains(who, "id1") || p.count("/auth") != 2 {
		t.Errorf("the server is called by %s, after %d logins", who, p.count("/auth"))
	}
	g.keepsSecrets(t, p, password)
}

// TestGatewayWithoutLogin: nobody has logged in yet.
func TestGatewayWithoutLogin(t *testing.T) {
	g := newGate(t, serve(t, newProvider(t)), "{tokens: '"+t.TempDir()+"'}")
	g.until(t, "the server requires a login")
	if result, err := g.CallTool(t.Context(), "books_look_up", runtime.Raw{}); err == nil {
		t.Errorf("a tool of a server that was never connected is there: %v", result)
	}
}
