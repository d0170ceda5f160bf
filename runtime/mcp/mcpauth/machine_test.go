package mcpauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// jwt is a JWT that was taken apart.
type jwt struct {
	header, claims fields
	signed         []byte
	signature      []byte
}

func parseJWT(t *testing.T, text string) *jwt {
	t.Helper()
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a JWT", text)
	}
	j := &jwt{signed: []byte(parts[0] + "." + parts[1])}
	for i, into := range []*fields{&j.header, &j.claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if j.signature, err = base64.RawURLEncoding.DecodeString(parts[2]); err != nil {
		t.Fatal(err)
	}
	return j
}

// verify checks the signature with the algorithm in the header.
func (j *jwt) verify(key crypto.PublicKey) bool {
	sum := func(h crypto.Hash) []byte {
		w := h.New()
		w.Write(j.signed)
		return w.Sum(nil)
	}
	ecdsaWith := func(h crypto.Hash, size int) bool {
		r, s := new(big.Int).SetBytes(j.signature[:size]), new(big.Int).SetBytes(j.signature[size:])
		return len(j.signature) == 2*size && ecdsa.Verify(key.(*ecdsa.PublicKey), sum(h), r, s)
	}
	switch j.header["alg"] {
	case "ES256":
		return ecdsaWith(crypto.SHA256, 32)
	case "ES384":
		return ecdsaWith(crypto.SHA384, 48)
	case "ES512":
		return ecdsaWith(crypto.SHA512, 66)
	case "RS256":
		return rsa.VerifyPKCS1v15(key.(*rsa.PublicKey), crypto.SHA256, sum(crypto.SHA256), j.signature) == nil
	case "PS256":
		return rsa.VerifyPSS(key.(*rsa.PublicKey), crypto.SHA256, sum(crypto.SHA256), j.signature, nil) == nil
	case "EdDSA":
		return ed25519.Verify(key.(ed25519.PublicKey), j.signed, j.signature)
	}
	return false
}

func ecdsaKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func rsaKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestKeys signs with every kind of key, which was read from PEM.
func TestKeys(t *testing.T) {
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		key       crypto.Signer
		supported []string
		want      string
	}{
		{ecdsaKey(t, elliptic.P256()), nil, "ES256"},
		{ecdsaKey(t, elliptic.P384()), []string{"RS256", "ES384"}, "ES384"},
		{ecdsaKey(t, elliptic.P521()), nil, "ES512"},
		{rsaKey(t), nil, "RS256"},
		{rsaKey(t), []string{"PS256"}, "PS256"},
		{edwards, nil, "EdDSA"},
		{edwards, []string{"RS256"}, ""},
		{ecdsaKey(t, elliptic.P224()), nil, ""},
	} {
		der, err := x509.MarshalPKCS8PrivateKey(test.key)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		var text string
		if err == nil {
			key.ID = "key-1"
			text, err = key.assertion("me", &issuer{Issuer: "https://auth.example.com", AuthAlgs: test.supported})
		}
		if (err == nil) != (test.want != "") {
			t.Errorf("%T, %v: %v", test.key, test.supported, err)
		}
		if err != nil {
			continue
		}
		j := parseJWT(t, text)
		if j.header["alg"] != test.want || j.header["kid"] != "key-1" || !j.verify(test.key.Public()) {
			t.Errorf("%T: %v is not signed by the key", test.key, j.header)
		}
		if j.claims["aud"] != "https://auth.example.com" || j.claims["iss"] != "me" || j.claims["sub"] != "me" || j.claims["jti"] == "" {
			t.Errorf("claims %v", j.claims)
		}
		if life := j.claims["exp"].(float64) - float64(time.Now().Unix()); life < 60 || life > 600 {
			t.Errorf("it is good for %f s", life)
		}
	}
}

// TestParseKey reads the forms of PEM, and reports what is none of them without its text.
func TestParseKey(t *testing.T) {
	key := ecdsaKey(t, elliptic.P256())
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for text, good := range map[string]bool{
		block("EC PRIVATE KEY", der):                                     true,
		block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey(t))): true,
		block("RSA PRIVATE KEY", der):                                    false,
		block("PRIVATE KEY", []byte("secret-text")):                      false,
		"secret-text":                  false,
		block("PUBLIC KEY", []byte{1}): false,
	} {
		if _, err := ParseKey([]byte(text)); (err == nil) != good || err != nil && strings.Contains(err.Error(), "secret-text") {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// TestClientCredentials: a client authenticates by each method that an authorization server may
// support.
func TestClientCredentials(t *testing.T) {
	key := &Key{Signer: ecdsaKey(t, elliptic.P256())}
	for _, test := range []struct {
		methods []string
		client  Client
	}{
		{[]string{authBasic}, Client{ID: "my client", Secret: "pass:word/ü"}},
		{nil, Client{ID: "my client", Secret: "pass:word/ü"}},
		{[]string{authPost}, Client{ID: "my client", Secret: "pass:word/ü"}},
		{[]string{authKey, authBasic}, Client{ID: "my client", Key: key}},
	} {
		a := newAuthority(t)
		a.metadata = func(doc fields) { doc["token_endpoint_auth_methods_supported"] = test.methods }
		a.token = func(_ http.ResponseWriter, r *http.Request) bool {
			user, password, basic := r.BasicAuth()
			user, _ = url.QueryUnescape(user)
			password, _ = url.QueryUnescape(password)
			if !basic {
				user, password = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
			}
			if user != "my client" || password != string(test.client.Secret) || basic != (test.client.Key == nil && !strings.Contains(strings.Join(test.methods, " "), authPost)) {
				t.Errorf("%v: authenticated as %q by %q", test.methods, user, password)
			}
			if assertion := r.PostForm.Get("client_assertion"); test.client.Key != nil {
				j := parseJWT(t, assertion)
				if !j.verify(key.Signer.Public()) || j.claims["aud"] != a.issuer.URL {
					t.Errorf("the assertion %v", j.claims)
				}
			}
			if r.PostForm.Get("grant_type") != "client_credentials" || r.PostForm.Get("scope") != "tools" || r.PostForm.Get("resource") != a.mcp.URL+"/mcp" {
				t.Errorf("requested %v", r.PostForm)
			}
			return false
		}
		a.works(a.transport(Options{Client: test.client, Grant: &ClientCredentials{}}))
	}
}

// TestSecretIsNotKept: the password of a client that was registered in advance does not get into the
// store, and a refresh sends it all the same.
func TestSecretIsNotKept(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	o := Options{Client: Client{ID: "me", Secret: "password"}, Grant: &ClientCredentials{}, Store: store}
	a.works(a.transport(o))
	for _, text := range store.records {
		if strings.Contains(string(text), "password") {
			t.Errorf("stored: %s", text)
		}
	}
	a.revoke()
	a.works(a.transport(o))
	last := a.forms[len(a.forms)-1]
	if last.Get("grant_type") != "refresh_token" || last.Get("client_secret") != "password" {
		t.Errorf("requested %v", last)
	}
}

// TestAnotherClient: the token of one client is not used by another one.
func TestAnotherClient(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	for i, id := range []string{"first", "second", "second"} {
		a.works(a.transport(Options{Client: Client{ID: id, Secret: "password"}, Grant: &ClientCredentials{}, Store: store}))
		if want := min(i+1, 2); a.count("/token") != want {
			t.Errorf("%d token requests, want %d", a.count("/token"), want)
		}
	}
}

// TestWorkload: the assertion of the platform is sent once; a rejection is an error.
func TestWorkload(t *testing.T) {
	a := newAuthority(t)
	audience := ""
	o := Options{Client: Client{ID: "workload"}, Grant: &Workload{Assertion: func(_ context.Context, aud string) (Secret, error) {
		audience = aud
		return "signed-by-the-platform", nil
	}}}
	a.works(a.transport(o))
	if f := a.forms[0]; audience != a.issuer.URL || f.Get("grant_type") != grantBearer || f.Get("assertion") != "signed-by-the-platform" || f.Get("client_id") != "workload" {
		t.Errorf("for %q: %v", audience, f)
	}
	b := newAuthority(t)
	b.token = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":"invalid_grant"}`)
		return true
	}
	if _, _, err := b.use(b.transport(o)); !is(err, "invalid_grant") || b.count("/token") != 1 {
		t.Errorf("%v after %d requests", err, b.count("/token"))
	}
	failed := errors.New("no platform")
	o.Grant = &Workload{Assertion: func(context.Context, string) (Secret, error) { return "", failed }}
	if _, _, err := b.use(b.transport(o)); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// TestEnterprise: an identity token is exchanged at the identity provider, whose answer must be a
// grant, and that for a token.
func TestEnterprise(t *testing.T) {
	a, provider := newAuthority(t), newAuthority(t)
	kind := typeGrant
	provider.token = func(w http.ResponseWriter, r *http.Request) bool {
		f := r.PostForm
		if f.Get("subject_token") != "who-i-am" || f.Get("audience") != a.issuer.URL || f.Get("resource") != a.mcp.URL+"/mcp" || f.Get("client_id") != "at-provider" ||
			f.Get("requested_token_type") != typeGrant || f.Get("subject_token_type") != typeIDToken || f.Get("grant_type") != grantExchange {
			t.Errorf("exchange of %v", f)
		}
		provider.document(w, fields{"access_token": "the-grant", "issued_token_type": kind, "token_type": "N_A"}, nil)
		return true
	}
	grant := &Enterprise{
		Issuer: provider.issuer.URL, Client: Client{ID: "at-provider"},
		IDToken: func(context.Context) (Secret, error) { return "who-i-am", nil },
	}
	o := Options{Client: Client{ID: "me", Secret: "password"}, Grant: grant}
	a.works(a.transport(o))
	if f := a.forms[0]; f.Get("assertion") != "the-grant" || f.Get("grant_type") != grantBearer || f.Get("subject_token") != "" {
		t.Errorf("grant %v", f)
	}
	kind = "urn:ietf:params:oauth:token-type:access_token"
	if _, _, err := a.use(a.transport(o)); !errors.Is(err, ErrToken) {
		t.Error(err)
	}
	grant.IDToken = func(context.Context) (Secret, error) { return "", io.EOF }
	if _, _, err := a.use(a.transport(o)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	grant.Issuer = "http://provider.example.com"
	if _, _, err := a.use(a.transport(o)); !errors.Is(err, ErrBlocked) {
		t.Error(err)
	}
}

// TestNoGrant: without a grant, a stored token is used and refreshed, and more is an error.
func TestNoGrant(t *testing.T) {
	a := newAuthority(t)
	store := new(Memory)
	stored := func() *Transport {
		auth, err := New(a.mcp.URL+"/mcp", Options{Store: store, Base: &http.Transport{DisableKeepAlives: true}})
		if err != nil {
			t.Fatal(err)
		}
		return auth
	}
	if _, _, err := a.use(stored()); !errors.Is(err, ErrNoGrant) || a.count(resourcePath+"/mcp") > 0 {
		t.Error(err)
	}
	a.works(a.transport(Options{Store: store}))
	a.works(stored())
	a.revoke()
	a.works(stored())
	a.revoke()
	clear(a.refresh)
	if _, _, err := a.use(stored()); !errors.Is(err, ErrNoGrant) || a.count("/authorize") != 1 {
		t.Error(err)
	}
}

// TestNew: which URLs a transport takes.
func TestNew(t *testing.T) {
	for at, good := range map[string]bool{
		"https://mcp.example.com/mcp": true, "http://localhost": true, "https://mcp.example.com#x": true,
		"": false, "mcp.example.com": false, "https://me:password@mcp.example.com": false, "ws://mcp.example.com": false, "https://%": false,
	} {
		if _, err := New(at, Options{}); (err == nil) != good || err != nil && strings.Contains(err.Error(), "password") {
			t.Errorf("%q: %v", at, err)
		}
	}
}
