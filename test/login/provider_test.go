package login

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// A person and a program that the provider knows.
const (
	user, password        = "test-user@127.0.0.1", "verysecure"
	robot, robotsPassword = "sid1", "verysecret"
	app                   = "rpcgen" // a client without a password
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// provider is the authorization server. Its tokens are JWTs, whose key and lifetime can change.
type provider struct {
	*storage.Storage
	url string

	mu       sync.Mutex
	keys     []*key // the last one signs
	lifetime time.Duration
	ahead    time.Duration   // of the clock of the MCP server
	paths    map[string]int  // requests by path
	tokens   map[string]bool // that the MCP server got
}

// key signs tokens. It implements [op.SigningKey] and [op.Key].
type key struct {
	id      string
	private *rsa.PrivateKey
	public  bool
}

func (k *key) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k *key) Algorithm() jose.SignatureAlgorithm          { return jose.RS256 }
func (k *key) Use() string                                 { return "sig" }
func (k *key) ID() string                                  { return k.id }

func (k *key) Key() any {
	if k.public {
		return &k.private.PublicKey
	}
	return k.private
}

// newProvider starts a provider.
func newProvider(t *testing.T) *provider {
	t.Helper()
	site := httptest.NewUnstartedServer(nil)
	p := &provider{url: "http://" + site.Listener.Addr().String(), lifetime: time.Hour, paths: make(map[string]int), tokens: make(map[string]bool)}
	clients := map[string]*storage.Client{app: storage.NativeClient(app, "http://127.0.0.1/callback")}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.url), clients)
	p.rotate(t)
	router := exampleop.SetupServer(p.url, p, quiet, false)
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.paths[r.URL.Path]++
		p.mu.Unlock()
		router.ServeHTTP(w, r)
	})
	site.Start()
	t.Cleanup(site.Close)
	return p
}

// count returns how many requests had a path.
func (p *provider) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paths[path]
}

// rotate makes a new key, and forgets the keys before.
func (p *provider) rotate(t *testing.T) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = []*key{{id: rand.Text(), private: private}}
}

// expire moves the clock of the MCP server beyond the life of all tokens. Further ones live longer.
func (p *provider) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead += p.lifetime
	p.lifetime += p.ahead
}

// offset returns how far the clock of the MCP server is ahead.
func (p *provider) offset() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ahead
}

func (p *provider) SigningKey(context.Context) (op.SigningKey, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[len(p.keys)-1], nil
}

func (p *provider) KeySet(context.Context) (keys []op.Key, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.keys {
		keys = append(keys, &key{k.id, k.private, true})
	}
	return keys, nil
}

func (p *provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := p.Storage.GetClientByClientID(ctx, id)
	return jwtClient{c}, err
}

func (p *provider) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	c, err := p.Storage.ClientCredentials(ctx, id, secret)
	return jwtClient{c}, err
}

func (p *provider) CreateAccessToken(ctx context.Context, r op.TokenRequest) (string, time.Time, error) {
	id, _, err := p.Storage.CreateAccessToken(ctx, r)
	return id, p.until(), err
}

func (p *provider) CreateAccessAndRefreshTokens(ctx context.Context, r op.TokenRequest, current string) (id, refresh string, until time.Time, err error) {
	id, refresh, _, err = p.Storage.CreateAccessAndRefreshTokens(ctx, r, current)
	return id, refresh, p.until(), err
}

// until returns when a token that is issued now expires.
func (p *provider) until() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.lifetime)
}

// jwtClient is a client whose access tokens are JWTs.
type jwtClient struct{ op.Client }

func (jwtClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// books is an MCP server with one tool.
type books struct{ toolbox.UnimplementedServer }

func (books) LookUp(ctx context.Context, in toolbox.Query) (map[string]string, error) {
	return map[string]string{"text": in.Text, "caller": mcp.PrincipalFrom(ctx)}, nil
}

// serve starts an MCP server that accepts the provider's tokens, and returns its URL.
func serve(t *testing.T, p *provider) string {
	t.Helper()
	site := httptest.NewUnstartedServer(nil)
	at := "http://" + site.Listener.Addr().String() + "/mcp"
	server := toolbox.NewServer(books{}, mcp.Options{Logger: quiet})
	h := mcphttp.NewHandler(server, mcphttp.Options{Runtime: runtime.Options{Logger: quiet}, Auth: &mcphttp.Auth{
		Resource: at, AuthorizationServers: []string{p.url}, Scopes: []string{"openid"},
		Verify: func(ctx context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
			keys := rp.NewRemoteKeySet(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, p.url+"/keys") // which remembers keys
			verifier := op.NewAccessTokenVerifier(p.url, keys)
			verifier.Offset = p.offset()
			claims, err := op.VerifyAccessToken[*oidc.AccessTokenClaims](ctx, token, verifier)
			switch {
			case err != nil:
				return mcphttp.Principal{}, err
			case claims.Subject == "":
				return mcphttp.Principal{}, errors.New("the token has no subject")
			}
			return mcphttp.Principal{ID: claims.Subject}, nil
		},
	}})
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		for _, authorization := range r.Header["Authorization"] {
			p.tokens[strings.TrimPrefix(authorization, "Bearer ")] = true
		}
		p.mu.Unlock()
		h.ServeHTTP(w, r)
	})
	site.Start()
	t.Cleanup(func() {
		h.Close()
		site.Close()
		server.Close()
	})
	return at
}
