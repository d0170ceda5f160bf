package mount_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// book is a log that a test reads.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *book) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// status returns what the tool of the gateway says.
func status(t *testing.T, g *mount.Gateway) string {
	t.Helper()
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	result, err := c.CallTool(t.Context(), "gateway_status", runtime.Raw{})
	structured, _ := result.StructuredContent.Get()
	if err != nil {
		t.Error(err)
	}
	return structured.String()
}

// TestDeputy: the server gets the token of the gateway, whatever the clients of the gateway send, and
// nothing else that they authenticate with.
func TestDeputy(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	h := mcphttp.NewHandler(newShelf(t, mcp.Options{}, "test://a").Server, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"token-of-the-gateway": "gateway"})})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		requests = append(requests, fmt.Sprint(r.URL, r.Header, string(body)))
		if got := r.Header.Get("Authorization"); got != "Bearer token-of-the-gateway" {
			requests = append(requests, "token-of-nobody")
		}
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	var log book
	g := gateway(t, config(t, "servers: {up: {url: "+web.URL+", token: token-of-the-gateway}}\nprincipals: {ann: {token: token-of-ann, allow: ['*']}}"), mount.Options{Logger: log.logger()})
	t.Cleanup(func() { g.Close() })
	if err := g.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g.HTTP(mcphttp.Options{}))
	t.Cleanup(front.Close)
	for _, revision := range bothEras {
		o := mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer token-of-ann"}, "Cookie": {"session=cookie-of-ann"}, "Dpop": {"proof-of-ann"}}}
		c := newSubscriber(t, mcphttp.Dial(front.URL, o), revision)
		c.subscribe(t, "test://a")
		ctx := mcpclient.WithMeta(t.Context(), "authorization", mcpdynamic.JSON(`"Bearer meta-of-ann"`))
		if _, err := c.CallTool(ctx, "up_gateway_status", runtime.Raw{}); err != nil {
			t.Error(err)
		}
		if _, err := c.ReadResource(ctx, "test://a"); err != nil {
			t.Error(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(requests) < 5 {
		t.Errorf("only %d", len(requests))
	}
	for _, secret := range []string{"of-ann", "of-nobody"} {
		if text := strings.Join(requests, "\n"); strings.Contains(text, secret) {
			t.Errorf("the server gets %s: %s", secret, text)
		}
	}
	if text := log.String(); strings.Contains(text, "token-of") || strings.Contains(text, "of-ann") {
		t.Errorf("a token is logged: %s", text)
	}
}

// TestTokenRefused: a server refuses the token of the gateway, and repeats it. The server stays listed, with
// the reason; the token gets neither into the log nor to clients.
func TestTokenRefused(t *testing.T) {
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+r.Header.Get("Authorization")+`"`)
			}
			w.WriteHeader(code)
			fmt.Fprintln(w, "refused:", r.Header.Get("Authorization"))
		}))
		t.Cleanup(web.Close)
		var log book
		g := gateway(t, config(t, "servers: {up: {url: "+web.URL+", token: token-of-the-gateway}}"), mount.Options{Logger: log.logger()})
		t.Cleanup(func() { g.Close() })
		await.Until(t, "the server is tried", func() bool { return strings.Contains(log.String(), "a server is not connected") })
		want := `"connected":false,"tools":0,"error":"the server requires`
		if code == http.StatusInternalServerError {
			want = `"error":"not connected"`
		}
		got := status(t, g)
		if !strings.Contains(got, want) {
			t.Errorf("%d: the status is %s", code, got)
		}
		if strings.Contains(got+log.String(), "token-of-the-gateway") {
			t.Errorf("%d: the token is repeated: %s %s", code, got, log.String())
		}
	}
}

// TestLoginHangs: an authorization server does not answer. The gateway works with the other servers, and
// ends at once.
func TestLoginHangs(t *testing.T) {
	over, asked := make(chan bool), make(chan bool, 100)
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/hang"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/hang", func(http.ResponseWriter, *http.Request) {
		asked <- true
		<-over
	})
	t.Cleanup(web.Close)
	defer close(over)
	g := gateway(t, config(t, "servers: {a: {url: http://memory}, slow: {url: "+web.URL+"/mcp, login: {client: c, secret: secret-of-c}}}"), mount.Options{
		Logger: quiet, Dial: in(map[string]*shelf{"a": newShelf(t, mcp.Options{})}),
	})
	<-asked
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	await.Until(t, "the other server works", func() bool {
		result, err := c.CallTool(t.Context(), "a_gateway_status", runtime.Raw{})
		return err == nil && said(result) != ""
	})
	if got := status(t, g); !strings.Contains(got, `{"name":"slow","connected":false`) {
		t.Errorf("the status is %s", got)
	}
	ended := make(chan error)
	go func() { ended <- g.Close() }()
	select {
	case <-ended:
	case <-time.After(time.Minute): // a busy machine takes less
		t.Error("the gateway does not end")
	}
}
