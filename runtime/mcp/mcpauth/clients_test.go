package mcpauth

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// TestRefreshTokenStays: a refresh token that is not replaced is used again.
func TestRefreshTokenStays(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{})
	a.works(auth)
	a.token = func(w http.ResponseWriter, r *http.Request) bool {
		token := a.secret("access")
		a.valid[token] = r.PostForm.Get("refresh_token") != ""
		a.document(w, fields{"access_token": token, "token_type": "bearer"}, nil)
		return true
	}
	for range 3 {
		a.revoke()
		a.works(auth)
	}
	if a.count("/authorize") != 1 {
		t.Errorf("%d logins", a.count("/authorize"))
	}
}

// TestForgottenClient: when the authorization server has forgotten the client, that registers again.
func TestForgottenClient(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{})
	a.works(auth)
	a.token = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.PostForm.Get("client_id"), "client-1-") {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		a.document(w, fields{"error": "invalid_client"}, nil)
		return true
	}
	a.revoke()
	rested(auth)
	a.works(auth)
	if a.count("/register") != 2 || a.count("/authorize") != 2 {
		t.Errorf("%d registrations, %d logins", a.count("/register"), a.count("/authorize"))
	}
}

// TestRefreshIsNotEnough: a login follows when a refreshed token is rejected, or when it would lack a
// scope.
func TestRefreshIsNotEnough(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{})
	a.works(auth)
	a.token = func(w http.ResponseWriter, r *http.Request) bool {
		if r.PostForm.Get("grant_type") == "refresh_token" {
			a.document(w, fields{"access_token": "stale", "token_type": "Bearer", "refresh_token": "again"}, nil)
		}
		return r.PostForm.Get("grant_type") == "refresh_token"
	}
	a.revoke()
	rested(auth)
	a.works(auth)
	if a.count("/authorize") != 2 || a.count("/token") != 3 {
		t.Errorf("%d logins, %d token requests", a.count("/authorize"), a.count("/token"))
	}
	a.revoke()
	a.challenge = func() string { return `Bearer scope="tools admin"` }
	rested(auth)
	a.works(auth)
	if a.count("/authorize") != 3 || a.count("/token") != 4 {
		t.Errorf("%d logins, %d token requests", a.count("/authorize"), a.count("/token"))
	}
}

// TestApplicationType: which type of client a redirect URI belongs to.
func TestApplicationType(t *testing.T) {
	for uri, want := range map[string]string{
		"http://127.0.0.1:1/callback": "native", "http://localhost:1/": "native", "https://localhost/": "native", "com.example.app:/callback": "native",
		"https://app.example.com/callback": "web",
	} {
		if got := applicationType(uri); got != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

// TestClientID: what identifies the client at the authorization server.
func TestClientID(t *testing.T) {
	documents := func(doc fields) { doc["client_id_metadata_document_supported"] = true }
	const document = "https://app.example.com/client.json"
	for _, test := range []struct {
		name     string
		client   Client
		metadata func(fields)
		want     string
		fault    error
	}{
		{"registered in advance", Client{ID: "known", MetadataURL: document}, documents, "known", nil},
		{"metadata document", Client{MetadataURL: document}, documents, document, nil},
		{"metadata document, not supported", Client{MetadataURL: document}, nil, "client-1-of-", nil},
		{"none", Client{}, func(doc fields) { delete(doc, "registration_endpoint") }, "", ErrClient},
		{"registered elsewhere", Client{ID: "known", Issuer: "https://other.example.com"}, nil, "", ErrIssuer},
		{"no way to authenticate", Client{ID: "known", Secret: "a password"}, func(doc fields) {
			doc["token_endpoint_auth_methods_supported"] = []string{"tls_client_auth"}
		}, "", ErrClient},
	} {
		a := newAuthority(t)
		a.metadata = test.metadata
		_, _, err := a.use(a.transport(Options{Client: test.client}))
		if !errors.Is(err, test.fault) || (err == nil) != (test.fault == nil) {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.fault == nil && !strings.HasPrefix(a.forms[0].Get("client_id"), test.want) {
			t.Errorf("%s: client %q", test.name, a.forms[0].Get("client_id"))
		}
	}
}
