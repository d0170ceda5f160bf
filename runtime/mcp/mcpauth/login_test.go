package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLogin: twenty requests at once cost one login; a revoked token is refreshed; a lost refresh
// token costs another login with the same registration, whose redirect URI stays the same.
func TestLogin(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	auth := a.transport(Options{Store: store})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { a.works(auth) })
	}
	all.Wait()
	for path, want := range map[string]int{"/authorize": 1, "/register": 1, "/token": 1} {
		if got := a.count(path); got != want {
			t.Errorf("%d requests for %s", got, path)
		}
	}
	a.revoke()
	a.works(auth)
	if a.count("/authorize") != 1 || a.count("/token") != 2 {
		t.Error("a token was not refreshed")
	}
	a.works(a.transport(Options{Store: store})) // another program
	if a.count("/token") != 2 {
		t.Error("a stored token was not used")
	}
	a.revoke()
	a.mu.Lock()
	clear(a.refresh)
	a.mu.Unlock()
	a.works(a.transport(Options{Store: store}))
	if clients, uris := a.registered(); a.count("/authorize") != 2 || clients != uris {
		t.Errorf("%d logins, %d registrations at %d URIs", a.count("/authorize"), clients, uris)
	}
	client := a.clients[0]
	if client["application_type"] != "native" || client["token_endpoint_auth_method"] != "none" || client["client_name"] != "rpcgen" {
		t.Errorf("registered as %v", client)
	}
	if scope := a.forms[0].Get("resource"); scope != a.mcp.URL+"/mcp" {
		t.Errorf("a token for %q", scope)
	}
}

// TestNotNeeded: a server that requires no token gets none, and no other request is made.
func TestNotNeeded(t *testing.T) {
	a := newAuthority(t)
	a.mcp.Config.Handler = a.log(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a token was sent")
		}
	}))
	a.works(a.transport(Options{}))
	if len(a.requests) != 1 {
		t.Error(a.requests)
	}
}

// TestEndOfSession: no person is asked to log in so that a session can be ended.
func TestEndOfSession(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, a.mcp.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := auth.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || a.count("/authorize") > 0 {
		t.Errorf("%s, %d logins", resp.Status, a.count("/authorize"))
	}
}

// TestForbidden: a 403 that no other token would change is the answer.
func TestForbidden(t *testing.T) {
	auth, err := New("https://mcp.example.com/mcp", Options{Grant: person(), Base: answers(http.StatusForbidden)})
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := auth.Client().Get("https://mcp.example.com/mcp"); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestAnotherProgram: a token that another program has stored is used in place of a login.
func TestAnotherProgram(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	first, second := a.transport(Options{Store: store}), a.transport(Options{Store: store})
	a.works(first)
	a.works(second)
	a.revoke()
	a.works(first)
	a.works(second)
	if a.count("/token") != 2 {
		t.Errorf("%d token requests", a.count("/token"))
	}
}

// TestRefreshedElsewhere: when another program has used the refresh token in the meantime, its token is
// used, also with a store that has no locks.
func TestRefreshedElsewhere(t *testing.T) {
	a := newAuthority(t)
	store := struct{ Store }{new(Memory)}
	first, second := a.transport(Options{Store: store}), a.transport(Options{Store: store})
	a.works(first)
	a.works(second)
	a.revoke()
	a.token = func(http.ResponseWriter, *http.Request) bool {
		a.token = nil
		a.works(second) // before the first refresh is answered
		return false
	}
	a.works(first)
	if a.count("/authorize") != 1 || a.count("/token") != 3 {
		t.Errorf("%d logins, %d token requests", a.count("/authorize"), a.count("/token"))
	}
}

// TestOneRefresh: programs that share a store refresh a token once when all find out at the same time that it has expired: an authorization server that watches for
// the reuse of refresh tokens would end the login.
func TestOneRefresh(t *testing.T) {
	for name, store := range map[string]Store{"Memory": new(Memory), "Files": Files(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			var all [4]*Transport
			for i := range all {
				all[i] = a.transport(Options{Store: store})
				a.works(all[i])
			}
			a.revoke()
			rejected := make(chan struct{}, 4*len(all))
			challenge := a.challenge
			a.challenge = func() string {
				rejected <- struct{}{}
				return challenge()
			}
			var once sync.Once
			a.token = func(http.ResponseWriter, *http.Request) bool {
				once.Do(func() {
					for range all {
						<-rejected
					}
				})
				return false
			}
			var programs sync.WaitGroup
			for _, one := range all {
				programs.Go(func() { a.works(one) })
			}
			programs.Wait()
			if a.count("/authorize") != 1 || a.count("/token") != 2 {
				t.Errorf("%d logins, %d token requests", a.count("/authorize"), a.count("/token"))
			}
		})
	}
}

// TestLockedForever: a program that holds the lock of a token for longer than a refresh takes keeps no other one from its refresh, and one that gives up does so at once.
func TestLockedForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, store := range map[string]Store{"Memory": new(Memory), "Files": Files(t.TempDir())} {
			auth, err := New("https://mcp.example/mcp", Options{Store: store, Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			unlock, err := auth.lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := auth.lock(ended); !errors.Is(err, context.Canceled) || time.Since(began) > 0 {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			if _, err := auth.lock(t.Context()); err != nil || time.Since(began) != 2*time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			unlock()
			again, err := auth.lock(t.Context())
			if err != nil || time.Since(began) != 2*time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			again()
		}
	})
}

// TestRefusedForNow: an authorization server that is busy, or does not say why, costs no login: the error says so, and the refresh token is used by the next request. One that refuses the
// refresh token, with whichever status and code, is asked for another.
func TestRefusedForNow(t *testing.T) {
	for _, tt := range []struct {
		status int
		code   string
		logins int
	}{
		{http.StatusTooManyRequests, "", 1}, {http.StatusTooManyRequests, "invalid_request", 1}, {http.StatusRequestTimeout, "", 1}, {http.StatusForbidden, "", 1},
		{http.StatusBadRequest, "temporarily_unavailable", 1}, {http.StatusBadRequest, "slow_down", 1}, {http.StatusServiceUnavailable, "", 1},
		{http.StatusBadRequest, "", 1}, {http.StatusUnauthorized, "", 1}, {http.StatusOK, "server_error", 1},
		{http.StatusBadRequest, "invalid_grant", 2}, {http.StatusBadRequest, "invalid_scope", 2}, {http.StatusOK, "bad_refresh_token", 2}, {http.StatusOK, "invalid_refresh_token", 2},
		{http.StatusUnauthorized, "invalid_token", 2}, {http.StatusBadRequest, "token_expired", 2}, {http.StatusUnauthorized, "expired_token", 2},
	} {
		a := newAuthority(t)
		auth := a.transport(Options{})
		a.works(auth)
		a.revoke()
		rested(auth)
		a.token = func(w http.ResponseWriter, r *http.Request) bool {
			if r.PostForm.Get("grant_type") != "refresh_token" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tt.status)
			if tt.code != "" {
				json.NewEncoder(w).Encode(fields{"error": tt.code})
			}
			return true
		}
		_, _, err := a.use(auth)
		if answer, ok := errors.AsType[*ServerError](err); tt.logins == 1 && (!ok || answer.Status != tt.status || answer.Code != tt.code) || tt.logins == 2 && err != nil {
			t.Errorf("%d %s: %v", tt.status, tt.code, err)
		}
		a.token = nil
		a.works(auth)
		if clients, uris := a.registered(); a.count("/authorize") != tt.logins || clients != uris {
			t.Errorf("%d %s: %d logins, %d registrations at %d URIs", tt.status, tt.code, a.count("/authorize"), clients, uris)
		}
	}
}

// TestFailureIsShared: requests that wait for a login that fails do not begin logins of their own.
func TestFailureIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &busyPerson{}
		auth, err := New("https://mcp.example.com/mcp", Options{Grant: &Login{Agent: busy}, Base: answers(http.StatusUnauthorized)})
		if err != nil {
			t.Fatal(err)
		}
		auth.fetch.client.Transport = documents{
			"https://mcp.example.com" + resourcePath + "/mcp": `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com"]}`,
			"https://auth.example.com/.well-known/oauth-authorization-server": `{"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/token",
				"authorization_endpoint":"https://auth.example.com/authorize","code_challenge_methods_supported":["S256"],"client_id_metadata_document_supported":true}`,
		}
		auth.o.Client.MetadataURL = "https://till.example.com/client.json"
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := auth.Client().Get("https://mcp.example.com/mcp"); !errors.Is(err, errBusy) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if busy.logins != 1 {
			t.Errorf("%d logins", busy.logins)
		}
	})
}

// busyPerson is an agent whose person takes a while to decline.
type busyPerson struct{ logins int }

var errBusy = errors.New("the person has no time")

func (p *busyPerson) Begin(context.Context, string) (Visit, error) { p.logins++; return p, nil }
func (*busyPerson) RedirectURI() string                            { return "http://127.0.0.1:1/callback" }
func (*busyPerson) Close() error                                   { return nil }

func (*busyPerson) Go(context.Context, string) (string, error) {
	time.Sleep(time.Minute) // until all the others wait
	return "", errBusy
}

// documents is a transport that answers with JSON documents, by URL.
type documents map[string]string

func (d documents) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := answers(http.StatusOK).RoundTrip(r)
	resp.Header.Set("Content-Type", "application/json")
	resp.Body = io.NopCloser(strings.NewReader(d[r.URL.String()]))
	resp.ContentLength = -1
	return resp, err
}

// TestCancelled: a login ends with the request that needs it, and another request can begin one.
func TestCancelled(t *testing.T) {
	a := newAuthority(t)
	opened := make(chan struct{})
	first := true
	auth := a.transport(Options{Grant: &Login{Agent: &Loopback{Open: func(ctx context.Context, at string) error {
		if first {
			first = false
			close(opened)
			return nil
		}
		return follow(ctx, at)
	}}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, a.mcp.URL+"/mcp", nil)
		_, err := auth.Client().Do(r)
		done <- err
	}()
	<-opened
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	a.works(auth)
}

// limited is a store that notes whether it is waited for without an end.
type limited struct {
	Store
	endless bool
}

func (s *limited) Save(ctx context.Context, server string, r *Record) error {
	if _, ends := ctx.Deadline(); !ends {
		s.endless = true
	}
	return s.Store.Save(ctx, server, r)
}

// TestTimeout: a person who does not come back ends the login, and the registration is made anew
// next time: the authorization server may have told only the person that it does not know it. The store is not waited for without an end.
func TestTimeout(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	a.works(a.transport(Options{Store: store}))
	a.revoke()
	clear(a.refresh)
	silent := &Login{Agent: &Loopback{Open: func(context.Context, string) error { return nil }}, Timeout: 10 * time.Millisecond}
	noting := &limited{Store: store}
	if _, _, err := a.use(a.transport(Options{Store: noting, Grant: silent})); !errors.Is(err, context.DeadlineExceeded) || noting.endless {
		t.Error(err, noting.endless)
	}
	a.works(a.transport(Options{Store: store}))
	if clients, uris := a.registered(); clients != 2 && uris == 1 {
		t.Errorf("%d registrations", clients)
	}
}

// TestSamePort: a login listens at the port of the one before, for which the client is registered, unless another program has taken it meanwhile, as can happen
// once.
func TestSamePort(t *testing.T) {
	var uris []string
	for range 3 {
		registered := ""
		for range 2 {
			visit, err := (&Loopback{Open: follow}).Begin(t.Context(), registered)
			if err != nil {
				t.Fatal(err)
			}
			visit.Close()
			if visit.RedirectURI() == registered {
				return
			}
			registered = visit.RedirectURI()
			uris = append(uris, registered)
		}
	}
	t.Errorf("the redirect URIs are %q", uris)
}

// TestPortIsTaken: a login at another port needs another registration.
func TestPortIsTaken(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	a.works(a.transport(Options{Store: store}))
	record, err := store.Load(t.Context(), a.mcp.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := url.Parse(record.Registration.RedirectURI)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := net.Listen("tcp", taken.Host); err == nil { // or another program has taken it
		defer other.Close()
	}
	a.revoke()
	clear(a.refresh)
	a.works(a.transport(Options{Store: store}))
	if a.count("/register") != 2 {
		t.Errorf("%d registrations", a.count("/register"))
	}
}

// TestScopes: which scopes are requested.
func TestScopes(t *testing.T) {
	for _, test := range []struct {
		challenged string
		supported  []string
		offered    []string
		extra      []string
		want       string
	}{
		{`, scope="a b"`, []string{"c"}, nil, nil, "a b"},
		{"", []string{"c", "d"}, nil, nil, "c d"},
		{"", nil, nil, nil, ""},
		{"", nil, []string{"offline_access"}, nil, ""},
		{`, scope="a"`, nil, []string{"offline_access", "z"}, []string{"b", "a"}, "a b offline_access"},
	} {
		a := newAuthority(t)
		a.challenge = func() string {
			return `Bearer resource_metadata="` + a.mcp.URL + resourcePath + `/mcp"` + test.challenged
		}
		a.resource = func(doc fields) { doc["scopes_supported"] = test.supported }
		a.metadata = func(doc fields) { doc["scopes_supported"] = test.offered }
		got := ""
		a.redirect = func(*url.URL, url.Values) {
			for _, q := range a.codes {
				got = q.Get("scope")
			}
		}
		a.works(a.transport(Options{Scopes: test.extra}))
		if got != test.want {
			t.Errorf("%q, %v: requested %q, want %q", test.challenged, test.supported, got, test.want)
		}
	}
}

// TestStepUp: a token with more scopes is requested with those that were granted before.
func TestStepUp(t *testing.T) {
	a := newAuthority(t)
	granted := ""
	a.redirect = func(*url.URL, url.Values) {
		for _, q := range a.codes {
			granted = q.Get("scope")
		}
	}
	auth := a.transport(Options{})
	a.works(auth)
	a.accept = func(string, *http.Request) int {
		if strings.Contains(granted, "admin") {
			return http.StatusOK
		}
		return http.StatusForbidden
	}
	a.works(auth)
	if granted != "tools offline_access admin" || a.count("/authorize") != 2 {
		t.Errorf("%d logins, the last one for %q", a.count("/authorize"), granted)
	}
}

// TestNeverEnough: a server that no token satisfies gets an error after few logins, whatever it says.
func TestNeverEnough(t *testing.T) {
	for _, test := range []struct {
		status int
		want   error
	}{
		{http.StatusForbidden, ErrScope},
		{http.StatusUnauthorized, ErrRejected},
	} {
		a := newAuthority(t)
		a.accept = func(string, *http.Request) int { return test.status }
		auth := a.transport(Options{})
		for range 2 {
			if _, _, err := a.use(auth); !errors.Is(err, test.want) {
				t.Errorf("%d: %v", test.status, err)
			}
		}
		if n := a.count("/authorize"); n > 2 {
			t.Errorf("%d: %d logins", test.status, n)
		}
	}
}
