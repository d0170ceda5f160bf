package mcpauth

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words returns n different scopes.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("s" + strconv.Itoa(i) + " ")
	}
	return b.String()
}

// TestManyScopes: lists of scopes that never end are errors, before anything is done with them; those that fit are requested.
func TestManyScopes(t *testing.T) {
	challenged := func(scope string) func(a *authority) {
		return func(a *authority) {
			a.challenge = func() string {
				return `Bearer resource_metadata="` + a.mcp.URL + resourcePath + `/mcp", scope="` + scope + `"`
			}
		}
	}
	supported := func(scopes []string) func(a *authority) {
		return func(a *authority) {
			a.challenge = func() string { return "Bearer" }
			a.resource = func(doc fields) { doc["scopes_supported"] = scopes }
		}
	}
	granted := func(scope string) func(a *authority) { return func(a *authority) { a.scope = scope } }
	most := strings.TrimSpace(words(mostScopes))
	for name, test := range map[string]struct {
		change func(a *authority)
		want   error
	}{
		"a challenge":                   {challenged(words(5_000)), ErrMetadata},
		"a challenge with a long scope": {challenged(strings.Repeat("s", longestScope+1)), ErrMetadata},
		"a challenge over the limit":    {challenged(words(mostScopes + 1)), ErrMetadata},
		"a challenge at the limit":      {challenged(most), nil},
		"metadata":                      {supported(strings.Fields(words(100_000))), ErrMetadata},
		"metadata with a long scope":    {supported([]string{strings.Repeat("s", longestScope+1)}), ErrMetadata},
		"metadata at the limit":         {supported(strings.Fields(most)), nil},
		"many equal ones in metadata":   {supported(slices.Repeat([]string{"s"}, 100_000)), ErrMetadata},
		"a token":                       {granted(words(100_000)), ErrToken},
		"a token with a long scope":     {granted(strings.Repeat("s", longestScope+1)), ErrToken},
		"a token at the limit":          {granted(strings.TrimSpace(words(mostGranted))), nil},
		"an issuer with many scopes": {func(a *authority) { // of which the client looks for one
			a.metadata = func(doc fields) { doc["scopes_supported"] = append(strings.Fields(words(100_000)), offline) }
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			test.change(a)
			_, _, err := a.use(a.transport(Options{}))
			if !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Error(err)
			}
			if err != nil && len(err.Error()) > 1<<10 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// TestGrantedScopes: some servers list the scopes of a token, instead of a text.
func TestGrantedScopes(t *testing.T) {
	for _, test := range []struct {
		scope any
		want  []string
		err   error
	}{
		{"tools read", []string{"tools", "read"}, nil},
		{[]string{"tools", "read"}, []string{"tools", "read"}, nil},
		{[]string{}, nil, nil},
		{nil, []string{"tools", "offline_access"}, nil}, // those that were requested
		{[]int{1}, nil, ErrToken},
		{7, nil, ErrToken},
	} {
		a := newAuthority(t)
		a.token = func(w http.ResponseWriter, _ *http.Request) bool {
			access := a.secret("access")
			a.valid[access] = true
			a.document(w, fields{"access_token": access, "token_type": "Bearer", "scope": test.scope}, nil)
			return true
		}
		store := Files(t.TempDir())
		if _, _, err := a.use(a.transport(Options{Store: store})); !errors.Is(err, test.err) || test.err == nil && err != nil {
			t.Errorf("%v: %v", test.scope, err)
		}
		r, err := store.Load(t.Context(), a.mcp.URL+"/mcp")
		if err != nil || (r == nil) != (test.err != nil) || r != nil && !slices.Equal(r.Token.Scopes, test.want) {
			t.Errorf("%v: loaded %v, %v", test.scope, r, err)
		}
	}
}

// TestMetadataOfStaticHosts: what is JSON is metadata, whatever a host thinks that it is.
func TestMetadataOfStaticHosts(t *testing.T) {
	for _, kind := range []string{"application/octet-stream", "text/plain; charset=utf-8", ""} {
		a := newAuthority(t)
		metadata := a.mcp.Config.Handler
		a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			metadata.ServeHTTP(&typed{w, kind, r.URL.Path != "/mcp"}, r)
		})
		if _, _, err := a.use(a.transport(Options{})); err != nil {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

// typed is an answer whose media type is another one, if it is to be changed. An empty one is none.
type typed struct {
	http.ResponseWriter
	kind   string
	change bool
}

func (w *typed) Write(b []byte) (int, error) {
	if w.change {
		w.Header()["Content-Type"] = []string{w.kind}
		if w.kind == "" {
			w.Header()["Content-Type"] = nil
		}
	}
	return w.ResponseWriter.Write(b)
}

// TestScopesDoNotPileUp: a server that requires other scopes each time does not make the list longer for ever.
func TestScopesDoNotPileUp(t *testing.T) {
	a := newAuthority(t)
	a.metadata = func(doc fields) { doc["token_endpoint_auth_methods_supported"] = []string{authBasic} }
	a.token = func(w http.ResponseWriter, _ *http.Request) bool { // which does not say what it grants
		a.document(w, fields{"access_token": a.secret("access"), "token_type": "Bearer"}, nil)
		return true
	}
	metadata, n := a.mcp.Config.Handler, 0
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			metadata.ServeHTTP(w, r)
			return
		}
		n++
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.ReplaceAll(words(20), "s", fmt.Sprintf("n%d-", n))+`"`)
		w.WriteHeader(http.StatusForbidden)
	})
	auth := a.transport(Options{Grant: &ClientCredentials{}, Client: Client{ID: "me", Secret: "a password"}})
	longest := 0
	for range 50 {
		_, _, err := a.use(auth)
		if !errors.Is(err, ErrScope) && !errors.Is(err, ErrMetadata) {
			t.Fatal(err)
		}
	}
	for _, form := range a.forms {
		longest = max(longest, len(strings.Fields(form.Get("scope"))))
	}
	if longest == 0 || longest > mostGranted {
		t.Errorf("%d scopes were requested in one of %d requests", longest, len(a.forms))
	}
}

// TestSelectScopes: scopes are requested once each, in their order.
func TestSelectScopes(t *testing.T) {
	got := selectScopes(&challenge{scopes: []string{"b", "a", "b"}}, &resource{Scopes: []string{"z"}}, []string{"c", "a"}, []string{"d", "b"})
	if want := "d b a c"; strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
	if !contains(got, []string{"a", "d", "a"}) || contains(got, []string{"z"}) || !contains(nil, nil) {
		t.Error("contains")
	}
}
