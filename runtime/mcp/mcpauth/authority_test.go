package mcpauth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// fields are a JSON object.
type fields = map[string]any

// authority is an authorization server with an MCP server, for tests. It checks what clients must
// do, and its functions let it lie.
type authority struct {
	t      *testing.T
	mcp    *httptest.Server // the MCP server, at /mcp
	issuer *httptest.Server

	challenge func() string                                     // of the MCP server; has a default
	accept    func(token string, r *http.Request) int           // HTTP status for a token; has a default
	resource  func(doc fields)                                  // changes the metadata of the MCP server
	metadata  func(doc fields)                                  // changes the metadata of the issuer
	redirect  func(to *url.URL, query url.Values)               // changes a redirect
	token     func(w http.ResponseWriter, r *http.Request) bool // answers a token request; false: as usual
	scope     string                                            // that the issuer grants; empty for what was requested

	mu       sync.Mutex
	requests []string // the paths of requests to both
	forms    []url.Values
	clients  []fields // that registered
	codes    map[string]url.Values
	used     map[string]bool // verifiers, states and refresh tokens
	valid    map[string]bool // access tokens
	refresh  map[string]bool // refresh tokens that can be used
	secrets  []string        // everything that must stay secret
	serial   int
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, codes: map[string]url.Values{}, used: map[string]bool{}, valid: map[string]bool{}, refresh: map[string]bool{}}
	resource, issuer := http.NewServeMux(), http.NewServeMux()
	a.mcp, a.issuer = httptest.NewServer(a.log(resource)), httptest.NewServer(a.log(issuer))
	t.Cleanup(a.mcp.Close)
	t.Cleanup(a.issuer.Close)
	a.challenge = func() string { return `Bearer resource_metadata="` + a.mcp.URL + resourcePath + `/mcp", scope="tools"` }
	resource.HandleFunc("/mcp", a.serveMCP)
	resource.HandleFunc(resourcePath+"/mcp", func(w http.ResponseWriter, _ *http.Request) {
		a.document(w, fields{"resource": a.mcp.URL + "/mcp", "authorization_servers": []string{a.issuer.URL}, "scopes_supported": []string{"tools"}}, a.resource)
	})
	issuer.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		a.document(w, fields{
			"issuer": a.issuer.URL, "authorization_endpoint": a.issuer.URL + "/authorize", "token_endpoint": a.issuer.URL + "/token",
			"registration_endpoint": a.issuer.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"authorization_response_iss_parameter_supported": true, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_post"},
			"scopes_supported": []string{"tools", "offline_access"},
		}, a.metadata)
	})
	issuer.HandleFunc("/authorize", a.authorize)
	issuer.HandleFunc("POST /register", a.register)
	issuer.HandleFunc("POST /token", a.serveToken)
	return a
}

// log records the path of each request.
func (a *authority) log(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.requests = append(a.requests, r.URL.Path)
		a.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// count returns how many requests had a path.
func (a *authority) count(path string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.requests {
		if p == path {
			n++
		}
	}
	return n
}

// registered returns how many clients registered, and at how many redirect URIs. A client registers once for all logins at a port, which
// another program can take between two logins.
func (a *authority) registered() (clients, uris int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]bool{}
	for _, client := range a.clients {
		all[fmt.Sprint(client["redirect_uris"])] = true
	}
	return len(a.clients), len(all)
}

// secret makes a value that must not be written anywhere.
func (a *authority) secret(kind string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serial++
	s := fmt.Sprintf("%s-%d-%s", kind, a.serial, random())
	a.secrets = append(a.secrets, s)
	return s
}

func (a *authority) document(w http.ResponseWriter, doc fields, change func(fields)) {
	if change != nil {
		change(doc)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(doc)
}

// serveMCP serves requests that have a token.
func (a *authority) serveMCP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	a.mu.Lock()
	status := http.StatusUnauthorized
	if a.valid[token] {
		status = http.StatusOK
	}
	a.mu.Unlock()
	if a.accept != nil && token != "" {
		status = a.accept(token, r)
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", a.challenge())
	case http.StatusForbidden:
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin", resource_metadata="`+a.mcp.URL+resourcePath+`/mcp"`)
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "the server got %s %s", scheme, token)
}

// revoke makes all access tokens invalid.
func (a *authority) revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.valid)
}

func (a *authority) register(w http.ResponseWriter, r *http.Request) {
	doc := fields{}
	if err := json.NewDecoder(r.Body).Decode(&doc); err != nil {
		a.t.Error(err)
	}
	secret := a.secret("client-secret")
	a.mu.Lock()
	a.clients = append(a.clients, doc)
	id := fmt.Sprintf("client-%d-of-%s", len(a.clients), a.issuer.URL)
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(fields{"client_id": id, "client_secret": secret, "token_endpoint_auth_method": "client_secret_post", "client_secret_expires_at": 0})
}

// authorize redirects at once, as an authorization server does whose user is logged in.
func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for _, name := range []string{"state", "code_challenge", "client_id", "resource", "redirect_uri"} {
		if q.Get(name) == "" {
			a.t.Errorf("an authorization request without %s", name)
		}
	}
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" {
		a.t.Errorf("an authorization request with %v", q)
	}
	code := a.secret("code")
	a.mu.Lock()
	if a.used[q.Get("state")] || a.used[q.Get("code_challenge")] {
		a.t.Error("a state or a challenge was used twice")
	}
	a.used[q.Get("state")], a.used[q.Get("code_challenge")] = true, true
	a.codes[code] = q
	a.secrets = append(a.secrets, q.Get("state"))
	a.mu.Unlock()
	to, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		a.t.Error(err)
		return
	}
	query := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {a.issuer.URL}}
	if a.redirect != nil {
		a.redirect(to, query)
	}
	to.RawQuery = query.Encode()
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusFound)
}

// serveToken issues tokens for codes, refresh tokens and credentials.
func (a *authority) serveToken(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		a.t.Error(err)
	}
	form := r.PostForm
	a.mu.Lock()
	a.forms = append(a.forms, form)
	for _, name := range []string{"code_verifier", "client_assertion", "assertion", "subject_token", "client_secret"} {
		if form.Get(name) != "" {
			a.secrets = append(a.secrets, form.Get(name))
		}
	}
	a.mu.Unlock()
	if a.token != nil && a.token(w, r) {
		return
	}
	scope, fault := form.Get("scope"), ""
	switch form.Get("grant_type") {
	case "authorization_code":
		scope, fault = a.redeem(form)
	case "refresh_token":
		a.mu.Lock()
		if !a.refresh[form.Get("refresh_token")] {
			fault = "the refresh token is not valid"
		}
		delete(a.refresh, form.Get("refresh_token"))
		a.mu.Unlock()
	}
	if fault != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(fields{"error": "invalid_grant", "error_description": fault})
		return
	}
	a.issue(w, scope, schemeBearer)
}

// redeem checks a code and its verifier.
func (a *authority) redeem(form url.Values) (scope, fault string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, known := a.codes[form.Get("code")]
	delete(a.codes, form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case !known:
		return "", "the code is not known"
	case encode(sum[:]) != q.Get("code_challenge"):
		return "", "the verifier is another one"
	case form.Get("redirect_uri") != q.Get("redirect_uri"), form.Get("resource") != q.Get("resource"), form.Get("client_id") != q.Get("client_id"):
		return "", "the request differs from the authorization request"
	}
	return q.Get("scope"), ""
}

// issue answers with a token.
func (a *authority) issue(w http.ResponseWriter, scope, kind string) {
	if a.scope != "" {
		scope = a.scope
	}
	access, refresh := a.secret("access"), a.secret("refresh")
	a.mu.Lock()
	a.valid[access], a.refresh[refresh] = true, true
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(fields{"access_token": access, "refresh_token": refresh, "token_type": kind, "expires_in": 3600, "scope": scope})
}

// follow follows the redirect of an authorization server to the client.
func follow(ctx context.Context, authorizationURL string) error {
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
		if err != nil {
			return
		}
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if resp, err := c.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	return nil
}

// person is the grant of tests: a login by a browser.
func person() *Login { return &Login{Agent: &Loopback{Open: follow}} }

// transport returns one for the MCP server. Its clock for the pauses between logins stands still until later moves it, however long a test takes.
func (a *authority) transport(o Options) *Transport {
	a.t.Helper()
	if o.Grant == nil {
		o.Grant = person()
	}
	if o.Base == nil {
		o.Base = &http.Transport{DisableKeepAlives: true}
	}
	t, err := New(a.mcp.URL+"/mcp", o)
	if err != nil {
		a.t.Fatal(err)
	}
	began := time.Now()
	t.pace.now = func() time.Time { return began }
	return t
}

// later lets time pass for the pauses between logins.
func later(t *Transport, d time.Duration) {
	now := t.pace.now
	t.pace.now = func() time.Time { return now().Add(d) }
}

// rested lets a time without logins pass.
func rested(t *Transport) { later(t, restful) }

// use sends a request, and returns the status and the body of the response.
func (a *authority) use(t *Transport) (int, string, error) {
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.mcp.URL+"/mcp", strings.NewReader(`{"method":"ping"}`))
	if err != nil {
		return 0, "", err
	}
	resp, err := t.Client().Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// works fails the test unless a request is answered 200.
func (a *authority) works(t *Transport) {
	a.t.Helper()
	if status, text, err := a.use(t); err != nil || status != http.StatusOK {
		a.t.Errorf("got %d %s, %v", status, text, err)
	}
}
