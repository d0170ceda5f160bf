package backend_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// TestClientToken refuses a credential that is the token of the client, in every form, and hides the request from Credentials.
func TestClientToken(t *testing.T) {
	const token = "client-token-1234567890"
	coded := base64.StdEncoding.EncodeToString([]byte(token))
	h := http.Header{"Authorization": {"Bearer " + token}}
	ctx := protocol.WithHTTP(principal.With(t.Context(), "ann"), mirror.Headers(h))
	type own struct{}
	ctx = context.WithValue(ctx, own{}, "span") // a key of this module is hidden, too
	for _, test := range []struct {
		kind, in, secret string
		passes           bool
	}{
		{"bearer", "", token, false},
		{"oauth", "", token, false},
		{"bearer", "", coded, false},
		{"bearer", "", base64.RawURLEncoding.EncodeToString([]byte("x " + token)), false},
		{"bearer", "", base64.StdEncoding.EncodeToString([]byte(coded)), false},
		{"bearer", "", "prefix-" + token, false},
		{"basic", "", "user:" + token, false},
		{"basic", "", token, false},
		{"key", "header", token, false},
		{"key", "query", token, false},
		{"key", "query", coded, false},
		{"key", "cookie", token, false},
		{"bearer", "", "another-token", true},
	} {
		var called atomic.Int32
		api := backend.API{Name: "api", Schemes: []backend.Scheme{{Name: "token", Kind: test.kind, In: test.in, Param: "X-Key"}}, Auth: [][]string{{"token"}}}
		c := serve(t, api, backend.Options{Credentials: backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
			if protocol.HTTPFrom(ctx) != nil || principal.From(ctx) != "" {
				t.Error("the request of the client is found")
			}
			if _, ok := ctx.Deadline(); !ok || q.Principal != "ann" {
				t.Error("the deadline or the principal is missing")
			}
			return backend.Bearer(test.secret), nil
		})}, func(http.ResponseWriter, *http.Request) { called.Add(1) })
		err := c.Do(ctx, &get, nil, nil, nil)
		if test.passes != (err == nil) || test.passes != (called.Load() == 1) {
			t.Errorf("%s %s %s: %v, %d calls", test.kind, test.in, test.secret, err, called.Load())
		}
		if err != nil && (err.Error() != "the credential of scheme token is the client's own token, which must not be passed on" || strings.Contains(err.Error(), token)) {
			t.Error(err)
		}
	}
	echo := backend.Call{Tool: "echo", Method: "GET", Path: "/{p}", Input: []backend.Place{{Field: "h", In: "header", As: "X-H"}}}
	c := serve(t, open, backend.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("the API got the token") })
	for _, member := range []string{"h", "q", "p"} {
		err := c.Do(ctx, &echo, func(b []byte) []byte { return append(b, fmt.Sprintf(`{"p":"x",%q:%q}`, member, token)...) }, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "the client's own token") {
			t.Error("an argument that is the token is sent as", member)
		}
	}
}

// TestClientTokenInLists: a token that has characters of paths, or is short, is found as a part of a path, as an element of a list, and as the name of a parameter.
func TestClientTokenInLists(t *testing.T) {
	call := backend.Call{Tool: "echo", Method: "GET", Path: "/{p}/{l}", Input: []backend.Place{{Field: "h", In: "header", As: "X-H"}, {Field: "c", In: "query", Style: "comma"}, {Field: "d", In: "query", Style: "deep"}}}
	for _, token := range []string{"client-token-1234567890", "client/token+12345==", "a,b/c,d,e,f", "a/b", "short", "50%25"} {
		ctx := protocol.WithHTTP(t.Context(), mirror.Headers(http.Header{"Authorization": {"Bearer " + token}}))
		quoted, _ := json.Marshal(token)
		coded, _ := json.Marshal(base64.StdEncoding.EncodeToString([]byte(token)))
		calls := 0
		c := serve(t, open, backend.Options{Transport: transport(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
		})}, nil)
		do := func(input string) error {
			return c.Do(ctx, &call, func(b []byte) []byte { return append(b, input...) }, nil, nil)
		}
		for _, input := range []string{`{"p":%s,"l":["y"]}`, `{"p":"x","l":["y",%s]}`, `{"p":"x","l":["y"],"h":%s}`, `{"p":"x","l":["y"],"h":["y",%s]}`, `{"p":"x","l":["y"],"q":%s}`, `{"p":"x","l":["y"],"c":[%s,"z"]}`, `{"p":"x","l":["y"],"d":{%s:1}}`} {
			for _, text := range [][]byte{quoted, coded} {
				input := fmt.Sprintf(input, text)
				if err := do(input); err == nil || !strings.Contains(err.Error(), "the client's own token") {
					t.Errorf("%s: %s is sent: %v", token, input, err)
				}
			}
		}
		if err := do(`{"p":"x","l":["y","z"],"h":"v","c":["z"],"d":{"m":1}}`); err != nil || calls != 1 {
			t.Errorf("%s: %v, %d calls", token, err, calls)
		}
	}
}

// TestManyTries: the pauses between many tries end growing.
func TestManyTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, start := 0, time.Now()
		c, err := backend.New(&open, backend.Options{Server: "https://api.example.com", Tries: 100, CallTimeout: 24 * time.Hour, Transport: transport(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 503, Body: http.NoBody, Request: r}, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Do(t.Context(), &get, nil, nil, nil); err == nil || calls != 100 || time.Since(start) > 100*64*time.Second {
			t.Errorf("%d calls in %s: %v", calls, time.Since(start), err)
		}
	})
}

// TestRefusedCredential asks for a credential once more when the API answers 401.
func TestRefusedCredential(t *testing.T) {
	var asked []bool
	c := serve(t, bearer, backend.Options{Credentials: backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
		asked = append(asked, q.Refused)
		if q.Refused {
			return backend.Bearer("new"), nil
		}
		return backend.Bearer("old"), nil
	})}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(401)
		}
	})
	if err := c.Do(t.Context(), &post, nil, nil, nil); err != nil || fmt.Sprint(asked) != "[false true]" {
		t.Error(err, asked)
	}
}

// TestEnv reads the environment for one user, and for all only where that is said.
func TestEnv(t *testing.T) {
	t.Setenv("BACKEND_TEST_TOKEN", "t1")
	ask := backend.Ask{Scheme: "token"}
	env := backend.Env{"token": "BACKEND_TEST_TOKEN", "other": "BACKEND_TEST_NONE"}
	if _, err := env.Credential(t.Context(), ask); err != nil {
		t.Error(err)
	}
	ask.Principal = "ann"
	if _, err := env.Credential(t.Context(), ask); err == nil || !strings.Contains(err.Error(), "backend.Shared") {
		t.Error(err)
	}
	if _, err := backend.Shared(env).Credential(t.Context(), ask); err != nil {
		t.Error(err)
	}
	for _, scheme := range []string{"other", "none"} {
		if _, err := backend.Shared(env).Credential(t.Context(), backend.Ask{Scheme: scheme}); !errors.Is(err, backend.ErrNoCredential) {
			t.Error(err)
		}
	}
}

// TestCredentialIsHidden prints credentials.
func TestCredentialIsHidden(t *testing.T) {
	c := backend.Basic("user", "secret")
	text, _ := c.MarshalJSON()
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %s %q %x %d", c, c, c, c, c, c), fmt.Sprint(&c), string(text), slog.AnyValue(c).Resolve().String()} {
		if strings.Contains(s, "secret") || strings.Contains(s, "user") || strings.Contains(s, "736563726574") {
			t.Error(s)
		}
	}
}

// TestServerEnv: an environment variable says where the API is, unless the program does, and a URL that is wrong is refused by its name.
func TestServerEnv(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer there.Close()
	api := backend.API{Name: "api", Server: "https://api.invalid"}
	const variable = "BACKEND_TEST_URL"
	t.Setenv(variable, there.URL+"/")
	c, err := backend.New(&api, backend.Options{ServerEnv: variable, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), &get, nil, skip, nil); err != nil {
		t.Error(err)
	}
	t.Setenv(variable, "api.example.com")
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable}); err == nil ||
		err.Error() != `backend api: the environment variable BACKEND_TEST_URL: "api.example.com" is not an absolute URL of http or https without user, query and fragment` {
		t.Error(err)
	}
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable, Server: there.URL}); err != nil {
		t.Error(err)
	}
	t.Setenv(variable, "")
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable}); err != nil {
		t.Error(err)
	}
}

// TestUnset: what is not set in the environment is logged at the start, if no call that needs a credential can have one.
func TestUnset(t *testing.T) {
	t.Setenv("BACKEND_TEST_KEY", "k")
	t.Setenv("BACKEND_TEST_TOKEN", "")
	schemes := []backend.Scheme{{Name: "key", Kind: "key", In: "header", Param: "X"}, {Name: "token", Kind: "bearer"}}
	env := map[string]string{"key": "BACKEND_TEST_KEY", "token": "BACKEND_TEST_TOKEN"}
	for _, tt := range []struct {
		auth  [][]string
		from  backend.Credentials
		warns bool
	}{
		{[][]string{{"token"}}, backend.Env(env), true},
		{[][]string{{"key", "token"}}, backend.Shared(env), true},
		{[][]string{{"token"}, {"key"}}, backend.Env(env), false},
		{[][]string{{"token"}, {}}, backend.Env(env), false},
		{nil, backend.Env(env), false},
		{nil, backend.Env{"token": "BACKEND_TEST_TOKEN"}, true}, // some calls have it
		{[][]string{{"token"}}, backend.Fixed{}, false},
		{[][]string{{"token"}}, nil, false},
	} {
		var log strings.Builder
		_, err := backend.New(&backend.API{Name: "api", Server: "https://api.invalid", Schemes: schemes, Auth: tt.auth},
			backend.Options{Credentials: tt.from, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || strings.Contains(log.String(), "the environment variable BACKEND_TEST_TOKEN is not set") != tt.warns {
			t.Errorf("%+v: %v %s", tt, err, &log)
		}
	}
}
