package mcpauth

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// TestTLS: certificates are those of the options, and are checked.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	site := httptest.NewTLSServer(a.issuer.Config.Handler)
	defer site.Close()
	site.Config.ErrorLog = log.New(io.Discard, "", 0)
	a.resource = func(doc fields) { doc["authorization_servers"] = []string{site.URL} }
	a.metadata = func(doc fields) { doc["issuer"] = site.URL }
	a.redirect = func(_ *url.URL, q url.Values) { q.Set("iss", site.URL) }
	own := site.Client().Transport.(*http.Transport)
	a.works(a.transport(Options{AuthTransport: own}))
	if _, _, err := a.use(a.transport(Options{})); !errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("an unknown certificate: %v", err)
	}
}

// TestGuard: which URLs and addresses are requested for a public MCP server, and for one on this
// machine.
func TestGuard(t *testing.T) {
	public, err := url.Parse("https://mcp.example.com/mcp")
	if err != nil {
		t.Fatal(err)
	}
	local, err := url.Parse("http://localhost:4000/mcp")
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string][3]bool{ // for a public server, for a local one, with AllowPrivate
		"https://auth.example.com":           {true, true, true},
		"https://93.184.215.14/x":            {true, true, true},
		"http://auth.example.com":            {},
		"http://localhost:9":                 {false, true, true},
		"https://localhost:9":                {false, true, true},
		"http://127.0.0.1:9":                 {false, true, true},
		"http://[::1]:9":                     {false, true, true},
		"http://[::ffff:127.0.0.1]:9":        {false, true, true},
		"https://10.0.0.1":                   {false, false, true},
		"https://172.16.0.1":                 {false, false, true},
		"https://192.168.0.1":                {false, false, true},
		"https://169.254.169.254":            {false, false, true},
		"https://[::ffff:100.64.0.1]":        {false, false, true},
		"https://100.64.0.1":                 {false, false, true},
		"https://0.0.0.0":                    {false, false, true},
		"https://[::]":                       {false, false, true},
		"https://[fe80::1]":                  {false, false, true},
		"https://[fd00::1]":                  {false, false, true},
		"https://[64:ff9b::a00:1]":           {false, false, true},
		"https://[2002:a00:1::]":             {false, false, true},
		"https://224.0.0.1":                  {false, false, true},
		"https://255.255.255.255":            {false, false, true},
		"ftp://auth.example.com":             {},
		"https://user@auth.example.com":      {},
		"https://auth.example.com/#fragment": {},
		"https:auth.example.com":             {},
		"https://":                           {},
		"":                                   {},
	} {
		for i, g := range []*guard{{server: public}, {server: local}, {server: public, private: true}} {
			if _, err := g.check(raw); (err == nil) != want[i] || err != nil && !errors.Is(err, ErrBlocked) {
				t.Errorf("%q, guard %d: %v", raw, i, err)
			}
		}
	}
	// What a name resolves to is checked when it is connected to.
	g := &guard{server: public}
	if _, err := g.dial(t.Context(), "tcp", "localhost:9"); !errors.Is(err, ErrBlocked) {
		t.Errorf("a name of this machine: %v", err)
	}
	f := newFetcher(public, &Options{})
	if _, err := f.client.Get("http://127.0.0.1:9"); !errors.Is(err, ErrBlocked) {
		t.Errorf("an address of this machine: %v", err)
	}
	if err := g.checkAddr(netip.MustParseAddr("fe80::1%eth0")); !errors.Is(err, ErrBlocked) {
		t.Error("an address with a zone is allowed")
	}
}

// TestProxy: a proxy of the environment may have a private address, and nothing else may.
func TestProxy(t *testing.T) {
	g := &guard{server: &url.URL{Scheme: "https", Host: "mcp.example.com"}}
	choose := g.noteProxy(func(*http.Request) (*url.URL, error) { return url.Parse("http://10.0.0.1:3128") })
	if _, err := choose(nil); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{"10.0.0.1:3128": true, "10.0.0.1:80": false, "mcp.example.com:443": true, "mcp.example.com:80": false} {
		if got := g.exempt(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}

// TestTokenStaysHome: the token is sent to the MCP server only, not to the target of a redirect, nor
// to another server, nor without TLS.
func TestTokenStaysHome(t *testing.T) {
	a := newAuthority(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another server got the token")
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer elsewhere.Close()
	auth := a.transport(Options{})
	a.works(auth)
	c := &http.Client{Transport: auth} // which follows all redirects
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	for _, at := range []string{a.mcp.URL + "/mcp", elsewhere.URL} {
		resp, err := c.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", at, resp.Status)
		}
	}
	plain, err := New("http://mcp.example.com/mcp", Options{Grant: person(), Base: answers(http.StatusUnauthorized)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Client().Get("http://mcp.example.com/mcp"); !errors.Is(err, ErrBlocked) || !strings.Contains(err.Error(), "by https only") {
		t.Errorf("a server without TLS: %v", err)
	}
	store := new(Memory)
	if err := store.Save(t.Context(), "http://mcp.example.com/mcp", &Record{Token: Token{Access: "secret-token", Type: schemeBearer}}); err != nil {
		t.Fatal(err)
	}
	sent := func(r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a stored token was sent without TLS")
		}
	}
	if plain, err = New("http://mcp.example.com/mcp", Options{Store: store, Base: watched{sent}}); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Client().Get("http://mcp.example.com/mcp"); err != nil {
		t.Error(err)
	}
}

// watched is a transport that shows requests, and answers them.
type watched struct{ see func(*http.Request) }

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	w.see(r)
	return answers(http.StatusOK).RoundTrip(r)
}

// answers is a transport that answers with a status.
type answers int

func (s answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(s), Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
