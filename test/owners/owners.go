// Package owners tests whom the credentials of a backend serve. The table is one for all transports: those of other modules are tested there.
package owners

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// Ann is the principal of calls that have one.
const Ann = "ann"

// Token is what the clients of Ann send where the transport has bearer tokens.
const Token = "token-of-anns-client"

// Over is a transport.
type Over struct {
	Local  bool // nobody but the person who runs the server can open a connection
	Tokens bool // the server finds the bearer token of the client, and checks it

	// Serve serves a server until the test ends, and returns how clients connect. With ann, all calls have the principal [Ann], otherwise none.
	Serve func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer

	Revisions []string // nil: both eras
}

// The ends of a call. An error has this text.
const (
	given   = ""
	refused = "there is no credential of scheme token"
	pending = "the user has to log in"
)

// kinds are the kinds of credentials, and what calls get of the person who runs the server, of any caller, and of a principal.
var kinds = []struct {
	name                    string
	credentials             func(*testing.T) backend.Credentials
	operator, unknown, user string
}{
	{"Env", of(backend.Env{"token": variable}), given, refused, refused},
	{"Shared", of(backend.Shared{"token": variable}), given, given, given},
	{"Machine", of(backendoauth.Machine(authority)), given, given, given},
	{"PerPrincipal", perPrincipal, refused, refused, given},
	{"Exchange", of(backendoauth.Exchange(authority)), refused, refused, given},
	{"Login with User", login(func(*http.Request) string { return "" }), refused, refused, pending},
	{"Login without User", login(nil), pending, refused, refused},
}

const variable = "OWNERS_TEST_TOKEN"

func of(c backend.Credentials) func(*testing.T) backend.Credentials {
	return func(*testing.T) backend.Credentials { return c }
}

func perPrincipal(t *testing.T) backend.Credentials {
	s := new(backend.Memory)
	if err := s.Save(t.Context(), backend.Owner{Principal: Ann, Backend: "tracker", Scheme: "token"}, []byte("token-of-ann")); err != nil {
		t.Fatal(err)
	}
	return backend.PerPrincipal(s)
}

func login(user func(*http.Request) string) func(*testing.T) backend.Credentials {
	return func(t *testing.T) backend.Credentials {
		l, err := backendoauth.NewLogin(backendoauth.LoginOptions{Options: authority, URL: "http://127.0.0.1:1/login", User: user})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// authority is an authorization server that gives a token to everyone.
var authority = backendoauth.Options{ClientID: "client", ClientSecret: "client-secret", Authorize: "https://auth.example/authorize",
	Token: "https://auth.example/token", Transport: says(`{"access_token":"token-of-authority"}`)}

// says is a site that has one answer.
type says string

// RoundTrip implements [http.RoundTripper].
func (s says) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, string(s))
	return w.Result(), nil
}

// Test tests whom each kind of credentials serves over a transport, in both eras, with and without a principal.
func Test(t *testing.T, o Over) {
	t.Setenv(variable, "token-of-environment")
	revisions := o.Revisions
	if revisions == nil {
		revisions = []string{mcp.Revision20251125, mcp.Revision20260728}
	}
	for _, kind := range kinds {
		api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: backend.Options{Logger: slog.New(slog.DiscardHandler), Credentials: kind.credentials(t),
			Transport: says(`[{"number":1,"title":"t"}]`)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, ann := range []bool{false, true} {
			want := kind.unknown
			switch {
			case ann && kind.name == "Exchange" && !o.Tokens:
				want = refused // there is no token that could be exchanged
			case ann:
				want = kind.user
			case o.Local:
				want = kind.operator
			}
			dial := o.Serve(t, rpc.NewServer(api, mcp.Options{StateKeys: [][]byte{make([]byte, 32)}, Logger: slog.New(slog.DiscardHandler)}), ann)
			for _, revision := range revisions {
				c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Revisions: []string{revision}, Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatalf("%s, %s: %v", kind.name, revision, err)
				}
				_, err = rpc.NewClient(c).IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r", State: "open"})
				if want == given && err != nil || want != given && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s, %s, principal %t: %v, and not %q", kind.name, revision, ann, err, want)
				}
				_ = c.Close()
			}
		}
	}
}
