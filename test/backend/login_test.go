package backend_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// authority is an authorization server of the API. A browser says in X-User who its user is there.
type authority struct {
	*httptest.Server
	mu      sync.Mutex
	asked   int                   // codes
	codes   map[string]url.Values // of the authorization request
	grants  map[string]int
	forms   []url.Values
	expires int  // of tokens, in seconds
	refuse  bool // refresh tokens
}

func newAuthority(t *testing.T) *authority {
	a := &authority{codes: map[string]url.Values{}, grants: map[string]int{}, expires: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked++
		code := fmt.Sprintf("code-%d", a.asked)
		q := r.URL.Query()
		q.Set("user", r.Header.Get("X-User"))
		a.codes[code] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", a.token)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = r.ParseForm()
	a.forms = append(a.forms, r.PostForm)
	grant := r.PostForm.Get("grant_type")
	a.grants[grant]++
	refuse := func(code string) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":%q}`, code)
	}
	who := ""
	switch grant {
	case "authorization_code":
		asked := a.codes[r.PostForm.Get("code")]
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if asked == nil || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri") {
			refuse("invalid_grant")
			return
		}
		delete(a.codes, r.PostForm.Get("code"))
		who = asked.Get("user")
	case "refresh_token":
		if a.refuse {
			refuse("invalid_grant")
			return
		}
		who = strings.TrimPrefix(r.PostForm.Get("refresh_token"), "refresh-")
	case "client_credentials":
		id, secret, _ := r.BasicAuth()
		if id != "client" || secret != "client-secret" {
			refuse("invalid_client")
			return
		}
		who = "machine"
	default:
		who = "exchanged-" + strings.TrimPrefix(r.PostForm.Get("subject_token"), "secret-of-")
	}
	fmt.Fprintf(w, `{"access_token":"token-of-%s-%d","token_type":"Bearer","refresh_token":"refresh-%s","expires_in":%d}`, who, len(a.forms), who, a.expires)
}

func (a *authority) count(grant string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.grants[grant]
}

func (a *authority) options() backendoauth.Options {
	return backendoauth.Options{ClientID: "client", ClientSecret: "client-secret", Authorize: a.URL + "/authorize", Token: a.URL + "/token", Scopes: []string{"issues"}}
}

// browser is a browser of a user, who is logged in everywhere.
type browser string

func (b browser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-User", string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func (b browser) client() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Transport: b, Jar: jar}
}

func (b browser) visit(t *testing.T, c *http.Client, page string) string {
	a, err := c.Get(page)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	return fmt.Sprint(a.StatusCode, " ", string(text))
}

// bearers is an API that answers with the bearer token that it was called with, as the login of a user. It refuses those in the list.
func bearers(t *testing.T, refused func(string) bool) *api {
	return newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if refused != nil && refused(token) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `[{"number":1,"title":"t","user":{"login":%q}}]`, token)
	})
}

// loginServer serves the tools at /mcp and the pages of the login at /login, for the principals ann, bob and eve.
func loginServer(t *testing.T, a *api, change func(*backendoauth.LoginOptions)) (site *httptest.Server, login *backendoauth.Login) {
	mux := http.NewServeMux()
	site = httptest.NewServer(mux)
	t.Cleanup(site.Close)
	o := backendoauth.LoginOptions{URL: site.URL + "/login", User: func(r *http.Request) string { return r.Header.Get("X-User") }}
	change(&o)
	login, err := backendoauth.NewLogin(o)
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/login/", login)
	server := rpc.NewServer(a.client(t, func(o *backend.Options) { o.Credentials = login; o.CallTimeout = time.Minute }), mcp.Options{StateKeys: [][]byte{make([]byte, 32)}})
	mux.Handle("/mcp", mcphttp.NewHandler(server, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"secret-of-ann": "ann", "secret-of-bob": "bob", "secret-of-eve": "eve"})}))
	return site, login
}

func connected(t *testing.T, site *httptest.Server, user, revision string, visit func(page string)) *rpc.Client {
	o := mcpclient.Options{Revisions: []string{revision}}
	if visit != nil {
		o.OnElicitURL = func(_ context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error) {
			visit(p.URL)
			return mcp.ElicitResult{Action: "accept"}, nil
		}
	}
	conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(site.URL+"/mcp", mcphttp.ClientOptions{Token: mcphttp.StaticToken("secret-of-" + user)}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return rpc.NewClient(conn)
}

var list = rpc.IssuesListInput{Owner: "o", Repo: "r"}

// TestLogin: each principal logs in once, by a browser of its own, in both eras of the protocol. Tokens never mix, whatever runs at once.
func TestLogin(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			auth := newAuthority(t)
			a := bearers(t, nil)
			site, _ := loginServer(t, a, func(o *backendoauth.LoginOptions) { o.Options = auth.options() })
			var group sync.WaitGroup
			for _, user := range []string{"ann", "bob"} {
				visits := 0
				c := connected(t, site, user, revision, func(page string) {
					visits++
					if got := browser(user).visit(t, browser(user).client(), page); got != "200 You are logged in. You can close this window.\n" {
						t.Error(got)
					}
				})
				group.Go(func() {
					if out, err := c.IssuesList(t.Context(), list); err != nil || !strings.HasPrefix(out.Issues[0].User.Login, "token-of-"+user+"-") {
						t.Errorf("%s: %v %v", user, out, err)
					}
					var calls sync.WaitGroup
					for range 8 {
						calls.Go(func() {
							for range 25 {
								out, err := c.IssuesList(t.Context(), list)
								if err != nil || !strings.HasPrefix(out.Issues[0].User.Login, "token-of-"+user+"-") {
									t.Errorf("%s: %v %v", user, out, err)
									return
								}
							}
						})
					}
					calls.Wait()
					if visits != 1 {
						t.Errorf("%s was sent to log in %d times", user, visits)
					}
				})
			}
			group.Wait()
			if n := auth.count("authorization_code"); n != 2 {
				t.Errorf("%d codes were exchanged", n)
			}
		})
	}
}

// TestLoginOfAnother: a login counts only in the browser of the principal that began it, from begin to end.
func TestLoginOfAnother(t *testing.T) {
	auth := newAuthority(t)
	site, _ := loginServer(t, bearers(t, nil), func(o *backendoauth.LoginOptions) { o.Options = auth.options() })
	c := connected(t, site, "eve", "2025-11-25", nil) // it cannot send its user anywhere
	_, err := c.IssuesList(t.Context(), list)
	if err == nil || !strings.Contains(err.Error(), "has to log in") {
		t.Fatal(err)
	}
	page := pageOf(err, site.URL)
	for _, who := range []string{"ann", ""} {
		if got := browser(who).visit(t, browser(who).client(), page); !strings.HasPrefix(got, "403") {
			t.Errorf("%q: %s", who, got)
		}
	}
	// Eve begins, and sends the way back to ann, or to another browser of her own.
	u, _ := url.Parse(page)
	state := u.Query().Get("state")
	for who, want := range map[string]string{"ann": "403", "eve": "403"} {
		if got := browser(who).visit(t, browser(who).client(), site.URL+"/login/callback?code=x&state="+state); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", who, got)
		}
	}
	if got := browser("eve").visit(t, browser("eve").client(), site.URL+"/login/start?state=other"); !strings.HasPrefix(got, "404") {
		t.Error(got)
	}
	if auth.count("authorization_code") != 0 {
		t.Error("a code was exchanged")
	}
	if got := browser("eve").visit(t, browser("eve").client(), page); !strings.HasPrefix(got, "200") {
		t.Error(got)
	}
	if out, err := c.IssuesList(t.Context(), list); err != nil || !strings.HasPrefix(out.Issues[0].User.Login, "token-of-eve-") {
		t.Error(out, err)
	}
	if got := browser("eve").visit(t, browser("eve").client(), page); !strings.HasPrefix(got, "404") {
		t.Error("a login counts twice: " + got)
	}
}

// shaky is a store that fails at times.
type shaky struct {
	backend.Memory
	fails atomic.Bool
}

func (s *shaky) Load(ctx context.Context, o backend.Owner) ([]byte, error) {
	if s.fails.Load() {
		return nil, errors.New("the store is away")
	}
	return s.Memory.Load(ctx, o)
}

// TestLoginElsewhere: with a key, a login that has begun in one process is finished by another one, which has never heard of it, also if the store fails
// meanwhile. A process with another key refuses it, and a code is used once, though the browser loads its page again.
func TestLoginElsewhere(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			auth, mux, store, back := newAuthority(t), http.NewServeMux(), new(shaky), ""
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/callback") {
					back = r.URL.String()
				}
				mux.ServeHTTP(w, r)
			}))
			t.Cleanup(site.Close)
			o := backendoauth.LoginOptions{Options: auth.options(), URL: site.URL + "/login", Store: store, User: func(r *http.Request) string { return r.Header.Get("X-User") }}
			login := func(key byte) *backendoauth.Login {
				o.Key = bytes.Repeat([]byte{key}, 32)
				l, err := backendoauth.NewLogin(o)
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			here, elsewhere, stranger := login(1), login(1), login(2)
			mux.Handle("/login/", elsewhere)
			server := rpc.NewServer(bearers(t, nil).client(t, func(o *backend.Options) { o.Credentials = here; o.CallTimeout = time.Minute }), mcp.Options{StateKeys: [][]byte{make([]byte, 32)}})
			mux.Handle("/mcp", mcphttp.NewHandler(server, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"secret-of-ann": "ann"})}))
			c := connected(t, site, "ann", revision, func(page string) {
				for path, handler := range map[string]http.Handler{page: stranger, strings.Replace(page, "state=", "state=A", 1): elsewhere} {
					r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
					r.Header.Set("X-User", "ann")
					if handler.ServeHTTP(w, r); w.Code != http.StatusNotFound {
						t.Errorf("%s: %d", path, w.Code)
					}
				}
				if got := browser("bob").visit(t, browser("bob").client(), page); !strings.HasPrefix(got, "403") {
					t.Error(got)
				}
				store.fails.Store(true)
				time.Sleep(1500 * time.Millisecond) // the call looks each second
				store.fails.Store(false)
				ann := browser("ann").client()
				if got := browser("ann").visit(t, ann, page); !strings.HasPrefix(got, "200") {
					t.Error(got)
				}
				if got := browser("ann").visit(t, ann, site.URL+back); !strings.HasPrefix(got, "403") || auth.count("authorization_code") != 1 {
					t.Errorf("the page is loaded again: %s, %d codes", got, auth.count("authorization_code"))
				}
			})
			if out, err := c.IssuesList(t.Context(), list); err != nil || !strings.HasPrefix(out.Issues[0].User.Login, "token-of-ann-") {
				t.Error(out, err)
			}
		})
	}
}

// TestRefresh: a token that expires or that the API refuses is refreshed once for all calls that wait, and a refresh token that is refused leads to a login.
func TestRefresh(t *testing.T) {
	auth := newAuthority(t)
	var mu sync.Mutex
	refused := map[string]bool{}
	a := bearers(t, func(token string) bool { mu.Lock(); defer mu.Unlock(); return refused[token] })
	store := new(backend.Memory)
	site, _ := loginServer(t, a, func(o *backendoauth.LoginOptions) { o.Options, o.Store = auth.options(), store })
	visits := 0
	c := connected(t, site, "ann", "2026-07-28", func(page string) { visits++; browser("ann").visit(t, browser("ann").client(), page) })
	call := func() string {
		out, err := c.IssuesList(t.Context(), list)
		if err != nil {
			t.Error(err)
			return ""
		}
		return out.Issues[0].User.Login
	}
	first := call()
	mu.Lock()
	refused[first] = true
	mu.Unlock()
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if got := call(); got == first || got == "" {
				t.Error(got)
			}
		})
	}
	group.Wait()
	if n := auth.count("refresh_token"); n != 1 || visits != 1 {
		t.Errorf("%d refreshes, %d visits", n, visits)
	}
	if kept, err := store.Load(t.Context(), backend.Owner{Principal: "ann", Backend: "tracker", Scheme: "token"}); err != nil || !strings.Contains(string(kept), "refresh-ann") {
		t.Error(string(kept), err)
	}

	auth.mu.Lock()
	auth.refuse, auth.expires = true, 1 // sooner than a token is used
	auth.mu.Unlock()
	second := connectedWith(t, auth, a, store)
	if got := second(); !strings.HasPrefix(got, "token-of-ann") {
		t.Error(got)
	}
}

// TestLoginOptions: what cannot work is an error at once.
func TestLoginOptions(t *testing.T) {
	for name, o := range map[string]backendoauth.LoginOptions{
		"no client": {URL: "https://example.com/login"}, "no URL": {Options: backendoauth.Options{ClientID: "c"}},
		"plain": {URL: "http://example.com/login", Options: backendoauth.Options{ClientID: "c"}}, "a query": {URL: "https://example.com/login?a=b", Options: backendoauth.Options{ClientID: "c"}},
		"a short key": {URL: "https://example.com/login", Options: backendoauth.Options{ClientID: "c"}, Key: []byte("k")},
	} {
		if _, err := backendoauth.NewLogin(o); err == nil {
			t.Error(name)
		}
	}
	login, err := backendoauth.NewLogin(backendoauth.LoginOptions{URL: "https://example.com/login", Options: backendoauth.Options{ClientID: "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := login.Credential(t.Context(), backend.Ask{Principal: "ann"}); err == nil {
		t.Error("a principal logs in though nobody says whose browser it is")
	}
}

// pageOf returns the address of the login that an error names.
func pageOf(err error, site string) string {
	for word := range strings.FieldsSeq(err.Error()) {
		if strings.HasPrefix(word, site) {
			return word
		}
	}
	return ""
}
