package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// requires makes the MCP server require that scope from now on, with every token.
func (a *authority) requires(scope func() string) {
	metadata := a.mcp.Config.Handler
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if r.URL.Path != "/mcp" || scheme == "" {
			metadata.ServeHTTP(w, r)
			return
		}
		if wanted := scope(); wanted != "" {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+wanted+`"`)
			w.WriteHeader(http.StatusForbidden)
		}
	})
}

// TestStepUpForever: a server that requires other scopes with each answer gets two logins for a request: one for a token, and one for
// further scopes. The error names the scopes.
func TestStepUpForever(t *testing.T) {
	a := newAuthority(t)
	n := 0
	a.requires(func() string { n++; return fmt.Sprint("scope-", n) })
	_, _, err := a.use(a.transport(Options{}))
	if !errors.Is(err, ErrScope) || !strings.Contains(err.Error(), `"scope-2"`) {
		t.Error(err)
	}
	if logins := a.count("/authorize"); logins != 2 {
		t.Errorf("%d logins", logins)
	}
}

// TestStepUpAlternates: a server that requires other scopes with each request does not open the browser each time.
func TestStepUpAlternates(t *testing.T) {
	for _, test := range []struct {
		name   string
		rests  func(auth *Transport)
		logins int
	}{
		{"at once", func(*Transport) {}, 2},
		{"10 s between requests", func(auth *Transport) { later(auth, 10*time.Second) }, 5}, // after 0, 0, 10, 30, 70, 150 s
		{"rarely", rested, 21},
	} {
		a := newAuthority(t)
		n := 0
		a.requires(func() string {
			n++
			if n%2 == 0 { // the request that follows a login
				return ""
			}
			return fmt.Sprint("scope-", n)
		})
		auth := a.transport(Options{})
		var refused error
		for range 20 {
			if _, _, err := a.use(auth); err != nil {
				refused = err
				n++ // for the next request
			}
			test.rests(auth)
		}
		if logins := a.count("/authorize"); logins > test.logins+1 || logins < test.logins-1 {
			t.Errorf("%s: %d logins", test.name, logins)
		}
		if (refused != nil) != (test.logins < 20) || refused != nil && (!errors.Is(refused, ErrScope) || !strings.Contains(refused.Error(), "the next one is possible in")) {
			t.Errorf("%s: %v", test.name, refused)
		}
	}
}

// TestRevokedAgain: nor does a server that revokes its tokens.
func TestRevokedAgain(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{})
	a.works(auth)
	for range 20 {
		a.revoke()
		clear(a.refresh)
		if _, _, err := a.use(auth); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), `"tools`) {
			t.Fatal(err)
		}
	}
	if logins := a.count("/authorize"); logins != 1 {
		t.Errorf("%d logins", logins)
	}
	later(auth, shortestPause)
	a.works(auth)
}

// TestLoginsGivenUp: nor do requests that end before a person has logged in. A person who has declined is left alone, too.
func TestLoginsGivenUp(t *testing.T) {
	errDeclined := errors.New("the person declines")
	for name, most := range map[string]int{"given up": 2, "declined": 1} {
		a, opened := newAuthority(t), 0
		ctx, cancel := context.WithCancel(t.Context())
		auth := a.transport(Options{Grant: &Login{Agent: &Loopback{Open: func(context.Context, string) error {
			opened++
			if name == "declined" {
				return errDeclined
			}
			cancel()
			return nil
		}}}})
		for range 20 {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.mcp.URL+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := auth.Client().Do(r); err == nil || errors.Is(err, errDeclined) != (name == "declined") {
				t.Errorf("%s: %v", name, err)
			}
			ctx, cancel = context.WithCancel(t.Context())
		}
		cancel()
		if opened != most {
			t.Errorf("%s: %d pages", name, opened)
		}
	}
}

// TestPause: pauses double, up to the longest one, and begin anew after a time without logins.
func TestPause(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := &pace{now: func() time.Time { return now }}
	q := &request{discovery: &discovery{issuer: new(issuer)}, known: new(Record)}
	var pauses []time.Duration // between logins of a server that requires one whenever that is possible
	for range 9 {
		for p.begin(q) != nil {
			now = now.Add(time.Second)
		}
		if !p.ended.IsZero() {
			pauses = append(pauses, now.Sub(p.ended))
		}
		now = now.Add(time.Minute) // which a login takes
		p.end(nil)
	}
	if got, want := fmt.Sprint(pauses), "[10s 20s 40s 1m20s 2m40s 5m20s 10m0s 10m0s]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	now = now.Add(restful)
	if err := p.begin(q); err != nil || p.pause != shortestPause {
		t.Error(err, p.pause)
	}
	p.end(nil)
	q.more = true
	if err := p.begin(q); err != nil {
		t.Error("further scopes after a rest:", err)
	}
	now = now.Add(time.Hour)
	p.end(nil)
	if err := p.begin(q); err == nil {
		t.Error("further scopes twice")
	}
}
