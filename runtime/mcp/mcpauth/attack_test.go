package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// TestLyingMetadata: servers that lie get an error of a type of its own, and no person is sent
// anywhere.
func TestLyingMetadata(t *testing.T) {
	set := func(name string, value any) func(fields) { return func(doc fields) { doc[name] = value } }
	for _, test := range []struct {
		name             string
		resource, issuer func(doc fields)
		want             error
	}{
		{"another origin", set("resource", "https://evil.example.com/mcp"), nil, ErrResource},
		{"another path", func(doc fields) { doc["resource"] = doc["resource"].(string) + "/other" }, nil, ErrResource},
		{"a longer name", func(doc fields) { doc["resource"] = strings.TrimSuffix(doc["resource"].(string), "cp") }, nil, ErrResource},
		{"a path that climbs", func(doc fields) { doc["resource"] = doc["resource"].(string) + "/../mcp" }, nil, ErrResource},
		{"a fragment", func(doc fields) { doc["resource"] = doc["resource"].(string) + "#" }, nil, ErrResource},
		{"a user", func(doc fields) { doc["resource"] = strings.Replace(doc["resource"].(string), "//", "//a@", 1) }, nil, ErrResource},
		{"no resource", set("resource", ""), nil, ErrResource},
		{"no authorization server", set("authorization_servers", []string{}), nil, ErrMetadata},
		{"wrong type", set("authorization_servers", 7), nil, ErrMetadata},
		{"authorization server without TLS", set("authorization_servers", []string{"http://auth.example.com"}), nil, ErrBlocked},
		{"authorization server in a private network", set("authorization_servers", []string{"https://10.1.2.3"}), nil, ErrBlocked},
		{"metadata of clouds", set("authorization_servers", []string{"https://169.254.169.254"}), nil, ErrBlocked},
		{"a file", set("authorization_servers", []string{"file:///etc/passwd"}), nil, ErrBlocked},
		{"authorization server with a password", set("authorization_servers", []string{"https://a:b@example.com"}), nil, ErrBlocked},
		{"authorization server with a query", func(doc fields) {
			doc["authorization_servers"] = []string{doc["authorization_servers"].([]string)[0] + "?a=b"}
		}, nil, ErrMetadata},
		{"no URL", set("authorization_servers", []string{"::"}), nil, ErrBlocked},
		{"another issuer", nil, set("issuer", "https://attacker.example.com"), ErrIssuer},
		{"an issuer with a slash", nil, func(doc fields) { doc["issuer"] = doc["issuer"].(string) + "/" }, ErrIssuer},
		{"no issuer", nil, set("issuer", nil), ErrIssuer},
		{"no token endpoint", nil, set("token_endpoint", ""), ErrMetadata},
		{"no login", nil, set("authorization_endpoint", ""), ErrMetadata},
		{"token endpoint without TLS", nil, set("token_endpoint", "http://example.com/token"), ErrBlocked},
		{"login without TLS", nil, set("authorization_endpoint", "http://example.com/authorize"), ErrBlocked},
		{"a script as login", nil, set("authorization_endpoint", "javascript:alert(1)"), ErrBlocked},
		{"registration in a private network", nil, set("registration_endpoint", "https://[fd00::1]/register"), ErrBlocked},
		{"no PKCE", nil, set("code_challenge_methods_supported", nil), ErrMetadata},
		{"weak PKCE", nil, set("code_challenge_methods_supported", []string{"plain"}), ErrMetadata},
	} {
		a := newAuthority(t)
		a.resource, a.metadata = test.resource, test.issuer
		if _, _, err := a.use(a.transport(Options{})); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		} else if e, ok := errors.AsType[*Error](err); !ok || e.URL == "" || e.Step == "" {
			t.Errorf("%s: the error does not say where: %v", test.name, err)
		}
		if a.count("/authorize") > 0 {
			t.Errorf("%s: a person was sent to the authorization server", test.name)
		}
	}
}

// TestParentResource: metadata is about the server itself. That of a part of the site that contains the server is an error, since a token
// for it could be used at all servers there, unless the options allow it.
func TestParentResource(t *testing.T) {
	for _, test := range []struct {
		server, resource string // paths
		is, within       bool
	}{
		{"/mcp", "/mcp", true, true},
		{"/mcp", "/mcp/", true, true},
		{"/mcp/", "/mcp", true, true},
		{"", "/", true, true},
		{"/", "", true, true},
		{"/mcp?a=b", "/mcp?a=b", true, true},
		{"/mcp?a=b", "/mcp", true, true},
		{"/mcp?a=b", "/mcp?a=c", false, false},
		{"/mcp", "/mcp?a=b", false, false},
		{"/mcp", "", false, true},
		{"/mcp", "/", false, true},
		{"/evil/mcp", "/evil", false, true},
		{"/evil/mcp", "/evil/", false, true},
		{"/mcp", "/mc", false, false},
		{"/mcp", "/mcp/other", false, false},
		{"/a%2Fb", "/a/b", false, false},
		{"/a%2Fb", "/a", false, false},
		{"/a/b", "/a%2Fb", false, false},
	} {
		for _, allow := range []bool{false, true} {
			a := newAuthority(t)
			a.resource = func(doc fields) { doc["resource"] = a.mcp.URL + test.resource }
			metadata := a.mcp.Config.Handler
			a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
					r.URL.Path = "/mcp"
				}
				metadata.ServeHTTP(w, r)
			})
			auth, err := New(a.mcp.URL+test.server, Options{Grant: person(), AllowParentResource: allow, Base: &http.Transport{DisableKeepAlives: true}})
			if err != nil {
				t.Fatal(err)
			}
			good := test.is || allow && test.within
			resp, err := auth.Client().Get(a.mcp.URL + test.server)
			if err == nil {
				resp.Body.Close()
			}
			if good != (err == nil) || err != nil && !errors.Is(err, ErrResource) {
				t.Errorf("metadata about %q of a server at %q, allowed: %t: %v", test.resource, test.server, allow, err)
			}
			if err != nil && strings.Contains(err.Error(), "AllowParentResource") != (test.within && !allow) {
				t.Errorf("metadata about %q of a server at %q, allowed: %t: %v", test.resource, test.server, allow, err)
			}
			if good && a.forms[0].Get("resource") != a.mcp.URL+test.resource {
				t.Errorf("a token for %q", a.forms[0].Get("resource"))
			}
		}
	}
}

// TestHostileDocuments: documents that never end, or that redirect forever or elsewhere.
func TestHostileDocuments(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve http.HandlerFunc
		want  error
	}{
		{"1 GB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			block := []byte(strings.Repeat(" ", 1<<20))
			for range 1 << 10 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, ErrTooLarge},
		{"announced 1 GB", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "1073741824") }, ErrTooLarge},
		{"redirects", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, ErrMetadata},
		{"a redirect to a private address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://192.168.1.1/", http.StatusFound)
		}, ErrBlocked},
		{"a redirect without TLS", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}, ErrBlocked},
		{"never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, context.DeadlineExceeded},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "<html>")
		}, ErrMetadata},
		{"nested", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, strings.Repeat("[", 1<<19))
		}, ErrMetadata},
		{"a fault", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, ErrMetadata},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, ErrMetadata},
		{"headers of 1 MB", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, nil},
	} {
		for _, where := range []string{"the MCP server", "the issuer"} {
			a := newAuthority(t)
			hostile := httptest.NewServer(test.serve)
			if where == "the issuer" {
				a.resource = func(doc fields) { doc["authorization_servers"] = []string{hostile.URL} }
			} else {
				a.challenge = func() string { return `Bearer resource_metadata="` + hostile.URL + `/metadata"` }
			}
			limit := time.Minute
			if test.want == context.DeadlineExceeded {
				limit = time.Second
			}
			_, _, err := a.use(a.transport(Options{Timeout: limit}))
			if test.want != nil && !errors.Is(err, test.want) || err == nil || !errors.As(err, new(*Error)) {
				t.Errorf("%s of %s: %v", test.name, where, err)
			}
			hostile.Close()
		}
	}
}

// TestHostileTokens: answers of the token endpoint that are not the requested token.
func TestHostileTokens(t *testing.T) {
	answer := func(status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, body)
			return true
		}
	}
	for _, test := range []struct {
		name  string
		token func(http.ResponseWriter, *http.Request) bool
		want  error
	}{
		{"nothing", answer(200, ""), ErrToken},
		{"no token", answer(200, `{"token_type":"Bearer"}`), ErrToken},
		{"another type", answer(200, `{"access_token":"a","token_type":"MAC"}`), ErrToken},
		{"bound to no key", answer(200, `{"access_token":"a","token_type":"DPoP"}`), ErrToken},
		{"no type", answer(200, `{"access_token":"a"}`), ErrToken},
		{"a token that adds headers", answer(200, `{"access_token":"a\r\nX: y","token_type":"Bearer"}`), ErrToken},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "https://evil.example.com/token", http.StatusTemporaryRedirect)
			return true
		}, &ServerError{}},
		{"1 GB", func(w http.ResponseWriter, _ *http.Request) bool {
			for range 1 << 10 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					break
				}
			}
			return true
		}, ErrTooLarge},
		{"denied", answer(400, `{"error":"invalid_grant","error_description":"no"}`), &ServerError{}},
		{"a fault", answer(500, "<html>"), &ServerError{}},
		{"odd numbers", answer(200, `{"access_token":"a","token_type":"bearer","expires_in":"1e999"}`), ErrRejected},
	} {
		a := newAuthority(t)
		a.token = test.token
		_, _, err := a.use(a.transport(Options{}))
		if _, typed := test.want.(*ServerError); typed && !errors.As(err, new(*ServerError)) || !typed && !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestRedirect: only the redirect that belongs to a login is used; of others not even the error is
// shown.
func TestRedirect(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(to *url.URL, query url.Values)
		want   error
	}{
		{"another issuer", func(_ *url.URL, q url.Values) { q.Set("iss", "https://evil.example.com") }, ErrIssuer},
		{"no issuer", func(_ *url.URL, q url.Values) { q.Del("iss") }, ErrIssuer},
		{"a normalized issuer", func(_ *url.URL, q url.Values) { q.Set("iss", q.Get("iss")+"/") }, ErrIssuer},
		{"two issuers", func(_ *url.URL, q url.Values) { q.Add("iss", "https://evil.example.com") }, ErrRedirect},
		{"two codes", func(_ *url.URL, q url.Values) { q.Add("code", "b") }, ErrRedirect},
		{"two states", func(_ *url.URL, q url.Values) { q.Add("state", "b") }, ErrRedirect},
		{"no code", func(_ *url.URL, q url.Values) { q.Del("code") }, ErrRedirect},
		{"an error of another issuer", func(_ *url.URL, q url.Values) {
			q.Set("error", "call_this_number")
			q.Set("iss", "https://evil.example.com")
		}, ErrIssuer},
		{"denied", func(_ *url.URL, q url.Values) { q.Set("error", "access_denied") }, &ServerError{}},
	} {
		a := newAuthority(t)
		a.redirect = test.change
		_, _, err := a.use(a.transport(Options{}))
		if _, typed := test.want.(*ServerError); typed && !is(err, "access_denied") || !typed && !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "number") {
			t.Errorf("%s: the text of another issuer is shown: %v", test.name, err)
		}
		if a.count("/token") > 0 {
			t.Errorf("%s: the code was sent", test.name)
		}
	}
}

// TestMixUp: an authorization server sends people to another, honest one. Its redirect names it, and
// the code does not get to the attacker.
func TestMixUp(t *testing.T) {
	attacker, honest := newAuthority(t), newAuthority(t)
	attacker.metadata = func(doc fields) {
		doc["authorization_endpoint"] = honest.issuer.URL + "/authorize"
		doc["authorization_response_iss_parameter_supported"] = false
	}
	_, _, err := attacker.use(attacker.transport(Options{Client: Client{ID: "known"}}))
	if !errors.Is(err, ErrIssuer) || honest.count("/authorize") != 1 || attacker.count("/token") != 0 {
		t.Errorf("%v; %d requests for tokens", err, attacker.count("/token"))
	}
}

// FuzzRedirect: a code is taken only from a redirect with the state and the issuer of the login.
func FuzzRedirect(f *testing.F) {
	const uri = "http://127.0.0.1:4000/callback"
	f.Add(uri+"?code=c&state=right&iss=https%3A%2F%2Fa", true)
	f.Add(uri+"?code=c&state=right&state=wrong#x", false)
	f.Fuzz(func(t *testing.T, redirected string, names bool) {
		code, err := (&fetcher{secrets: new(web.Secrets)}).checkRedirect(redirected, uri, "right", &issuer{Issuer: "https://a", GivesIss: names})
		if err != nil {
			return
		}
		u, err := url.Parse(redirected)
		if err != nil || code == "" || u.Host != "127.0.0.1:4000" || u.Path != "/callback" || u.Query().Get("state") != "right" ||
			(names || u.Query().Has("iss")) && u.Query().Get("iss") != "https://a" {
			t.Errorf("%q: %q, %v", redirected, code, err)
		}
	})
}

// FuzzResource: what is taken for the metadata of a server has its origin.
func FuzzResource(f *testing.F) {
	server, err := New("https://mcp.example.com/a/mcp", Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("https://mcp.example.com/a")
	f.Add("HTTPS://MCP.example.com/a/mcp?x=y")
	f.Fuzz(func(t *testing.T, resource string) {
		if !server.within(resource) {
			return
		}
		if u, err := url.Parse(resource); err != nil || !strings.EqualFold(u.Host, "mcp.example.com") || !strings.EqualFold(u.Scheme, "https") || !strings.HasPrefix("/a/mcp/", u.Path) {
			t.Errorf("%q is taken for the server", resource)
		}
	})
}

// TestRedirectURI: agents that return another URI, or the redirect of another login.
func TestRedirectURI(t *testing.T) {
	const uri = "http://127.0.0.1:4000/callback"
	m := &issuer{Issuer: "https://auth.example.com"}
	for redirected, want := range map[string]error{
		uri + "?code=c&state=s":                              nil,
		uri + "?code=c&state=s&iss=https://auth.example.com": nil,
		uri + "?code=c&state=t":                              ErrRedirect,
		uri + "?code=c":                                      ErrRedirect,
		uri + "?code=c;state=s":                              ErrRedirect,
		uri + "2?code=c&state=s":                             ErrRedirect,
		"http://127.0.0.1:4001/callback?code=c&state=s":      ErrRedirect,
		"https://127.0.0.1:4000/callback?code=c&state=s":     ErrRedirect,
		"http://evil.example.com/callback?code=c&state=s":    ErrRedirect,
		"http://127.0.0.1:4000/x/../callback?code=c&state=s": ErrRedirect,
		":": ErrRedirect,
		"":  ErrRedirect,
	} {
		code, err := (&fetcher{secrets: new(web.Secrets)}).checkRedirect(redirected, uri, "s", m)
		if !errors.Is(err, want) || (err == nil) != (code == "c") {
			t.Errorf("%s: %q, %v", redirected, code, err)
		}
	}
}

// TestLoopbackIsGuarded: what is not the redirect of the login has no effect on it, and the redirect
// is taken once.
func TestLoopbackIsGuarded(t *testing.T) {
	var answers []int
	send := func(method, at, host string) {
		r, err := http.NewRequest(method, at, nil)
		if err != nil {
			t.Error(err)
			return
		}
		r.Host = host
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := c.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		answers = append(answers, resp.StatusCode)
	}
	var v *loopbackVisit
	l := &Loopback{Open: func(context.Context, string) error {
		base, host := v.RedirectURI(), v.uri.Host
		send("GET", base+"?code=evil&state=guessed", host)
		send("GET", base+"?code=evil", host)
		send("POST", base+"?code=evil&state=right", host)
		send("GET", base+"/?code=evil&state=right", host)
		send("GET", base+"?code=evil&state=right", "evil.example.com")
		send("GET", base+"?code=good&state=right", host)
		send("GET", base+"?code=replayed&state=right", host)
		return nil
	}}
	visit, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	v = visit.(*loopbackVisit)
	redirected, err := visit.Go(t.Context(), "https://auth.example.com/authorize?state=right")
	if err != nil || redirected != visit.RedirectURI()+"?code=good&state=right" {
		t.Errorf("%q, %v", redirected, err)
	}
	if got := fmt.Sprint(answers); got != "[400 400 404 404 404 200 409]" {
		t.Error(got)
	}
	visit.Close()
	if err := v.listener.(*net.TCPListener).SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Error("the port is open after the login:", err)
	}
}

// TestLoopbackURI: which redirect URIs a loopback agent takes.
func TestLoopbackURI(t *testing.T) {
	for uri, good := range map[string]bool{
		"http://localhost:0/callback": true, "http://127.0.0.1:0/": true, "https://localhost:0/callback": false, "http://localhost/callback": false,
		"http://example.com:0/callback": false, "http://127.0.0.1:0/callback?a=b": false, "::": false,
	} {
		visit, err := (&Loopback{RedirectURI: uri, Open: follow}).Begin(t.Context(), "")
		if (err == nil) != good {
			t.Errorf("%s: %v", uri, err)
		}
		if err == nil {
			visit.Close()
		}
	}
	if _, err := (&Loopback{}).Begin(t.Context(), ""); err == nil {
		t.Error("a login without a browser")
	}
}

// TestChangedIssuer: when the MCP server changes its authorization server, a client that registered
// itself does so again there, and shows nothing of the old one; one that was registered in advance
// fails.
func TestChangedIssuer(t *testing.T) {
	for _, id := range []string{"", "registered"} {
		a, b := newAuthority(t), newAuthority(t)
		auth := a.transport(Options{Client: Client{ID: id}})
		a.works(auth)
		a.resource = func(doc fields) { doc["authorization_servers"] = []string{b.issuer.URL} }
		a.accept = func(token string, _ *http.Request) int {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.valid[token] {
				return http.StatusOK
			}
			return http.StatusUnauthorized
		}
		_, _, err := a.use(auth)
		if id != "" {
			if !errors.Is(err, ErrIssuer) || b.count("/authorize") > 0 {
				t.Errorf("a client registered at another issuer: %v", err)
			}
			continue
		}
		if err != nil || b.count("/register") != 1 {
			t.Errorf("%v, %d registrations", err, b.count("/register"))
		}
		for _, form := range b.forms {
			if strings.Contains(form.Encode(), url.QueryEscape(a.issuer.URL)) || form.Get("grant_type") != "authorization_code" {
				t.Errorf("the new issuer got %v", form)
			}
		}
	}
}

// TestClock: an authorization server whose clock is off by an hour rejects signatures: the error
// says so. Tokens do not depend on the clock.
func TestClock(t *testing.T) {
	for off, want := range map[time.Duration]bool{time.Hour: true, -time.Hour: true, time.Second: false} {
		a := newAuthority(t)
		a.token = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":"invalid_client","error_description":"expired"}`)
			return true
		}
		_, _, err := a.use(a.transport(Options{Client: Client{ID: "me", Secret: "password"}, Grant: &ClientCredentials{}}))
		if errors.Is(err, ErrClock) != want || !is(err, "invalid_client") {
			t.Errorf("off by %s: %v", off, err)
		}
		a.token = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
			return false
		}
		a.works(a.transport(Options{}))
	}
}
