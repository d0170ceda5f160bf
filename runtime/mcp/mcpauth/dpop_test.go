package mcpauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// bound makes the servers of a require tokens that are bound to a key, and nonces. It returns the
// thumbprint of the key that was used last.
func bound(t *testing.T, a *authority) (thumbprint *string) {
	t.Helper()
	thumbprint = new(string)
	used := map[any]bool{}
	check := func(r *http.Request, base string, token, nonce string) bool {
		j := parseJWT(t, r.Header.Get("DPoP"))
		jwk, _ := j.header["jwk"].(map[string]any)
		x, err := base64.RawURLEncoding.DecodeString(jwk["x"].(string))
		if err != nil {
			t.Error(err)
		}
		y, err := base64.RawURLEncoding.DecodeString(jwk["y"].(string))
		if err != nil {
			t.Error(err)
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			t.Error(err)
		}
		sum := sha256.Sum256([]byte(token))
		switch {
		case j.header["typ"] != "dpop+jwt", !j.verify(key), jwk["d"] != nil, j.claims["htm"] != r.Method, j.claims["htu"] != base+r.URL.Path, used[j.claims["jti"]],
			token != "" && j.claims["ath"] != encode(sum[:]), token == "" && j.claims["ath"] != nil:
			t.Errorf("the proof %v %v", j.header, j.claims)
		}
		used[j.claims["jti"]] = true
		*thumbprint = (&proofs{jwk: jwk}).thumbprint()
		return j.claims["nonce"] == nonce
	}
	a.challenge = func() string { return `DPoP algs="ES256", resource_metadata="` + a.mcp.URL + resourcePath + `/mcp"` }
	a.metadata = func(doc fields) { doc["dpop_signing_alg_values_supported"] = []string{"RS256", "ES256"} }
	a.token = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("DPoP-Nonce", "nonce-of-issuer")
		if !check(r, a.issuer.URL, "", "nonce-of-issuer") {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":"use_dpop_nonce"}`)
			return true
		}
		scope := r.PostForm.Get("scope")
		if code := r.PostForm.Get("code"); code != "" {
			if got := a.codes[code].Get("dpop_jkt"); got != *thumbprint {
				t.Errorf("the code is bound to %q, and the key is %q", got, *thumbprint)
			}
			scope, _ = a.redeem(r.PostForm)
		}
		a.issue(w, scope, schemeDPoP)
		return true
	}
	serve := a.mcp.Config.Handler
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token != "" {
			if token[:5] != "DPoP " {
				t.Errorf("the scheme of %q", token[:5])
			}
			if !check(r, a.mcp.URL, token[5:], "nonce-of-server") {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("DPoP-Nonce", "nonce-of-server")
				w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		serve.ServeHTTP(w, r)
	})
	return thumbprint
}

// TestDPoP: tokens are bound to a key if the server wants that, every request has a proof of its own
// with the nonce that the server requires, and the key is kept with the token.
func TestDPoP(t *testing.T) {
	a := newAuthority(t)
	thumbprint := bound(t, a)
	store := new(Memory)
	auth := a.transport(Options{Store: store})
	a.works(auth)
	a.works(auth)
	if a.count("/mcp") != 3 { // without a token, and twice with a token and a nonce
		t.Errorf("%d requests", a.count("/mcp"))
	}
	first := *thumbprint
	a.works(a.transport(Options{Store: store}))
	if *thumbprint != first || a.count("/authorize") != 1 {
		t.Error("the key was not kept")
	}
	a.revoke()
	a.works(a.transport(Options{Store: store}))
	if *thumbprint != first || a.count("/authorize") != 1 {
		t.Error("a refreshed token has another key")
	}
}

// TestDPoPNotBound: a server that does not bind a token that has to be bound is an error.
func TestDPoPNotBound(t *testing.T) {
	for _, test := range []struct {
		mode      DPoP
		challenge string
		supported []string
		want      error
	}{
		{DPoPAuto, "Bearer", []string{"ES256"}, nil},
		{DPoPAuto, "Bearer, DPoP", nil, nil},
		{DPoPAuto, "Bearer, DPoP", []string{"ES256"}, nil},
		{DPoPAuto, "DPoP", []string{"ES256"}, ErrToken},
		{DPoPAuto, "DPoP", nil, ErrToken},
		{DPoPRequired, "Bearer", []string{"ES256"}, ErrToken},
		{DPoPNever, "DPoP", []string{"ES256"}, nil},
	} {
		a := newAuthority(t)
		a.challenge = func() string { return test.challenge }
		a.metadata = func(doc fields) { doc["dpop_signing_alg_values_supported"] = test.supported }
		if _, _, err := a.use(a.transport(Options{DPoP: test.mode})); !errors.Is(err, test.want) {
			t.Errorf("%d, %s, %v: %v", test.mode, test.challenge, test.supported, err)
		}
	}
}

// TestNonceLoop: a server that always requires another nonce is an error after few requests.
func TestNonceLoop(t *testing.T) {
	a := newAuthority(t)
	bound(t, a)
	serve, serial := a.mcp.Config.Handler, 0
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("DPoP") != "" {
			serial++
			w.Header().Set("DPoP-Nonce", random())
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, r)
	})
	if _, _, err := a.use(a.transport(Options{})); !errors.Is(err, ErrRejected) || serial > 6 {
		t.Errorf("%v after %d requests", err, serial)
	}
}

// TestTarget: what a proof says of a URL.
func TestTarget(t *testing.T) {
	u, err := url.Parse("https://mcp.example.com:8443/a%2Fb/c?d=e#f")
	if err != nil {
		t.Fatal(err)
	}
	if got := target(u); got != "https://mcp.example.com:8443/a%2Fb/c" {
		t.Error(got)
	}
}

// TestStoredKey: a stored key that is not one is an error, and is not shown.
func TestStoredKey(t *testing.T) {
	for _, key := range []Secret{"%%%", "c2VjcmV0", ""} {
		if _, err := newProofs(key); err == nil || key != "" && len(err.Error()) > 80 {
			t.Errorf("%v", err)
		}
	}
}
