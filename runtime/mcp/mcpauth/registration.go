package mcpauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Methods by which a client authenticates at the token endpoint (RFC 7591 section 2, OpenID Connect
// Core 1.0 section 9).
const (
	authNone  = "none"
	authBasic = "client_secret_basic"
	authPost  = "client_secret_post"
	authKey   = "private_key_jwt"
)

// register returns the registration of the client at an authorization server. An earlier one is used
// again if it belongs to that server and has the redirect URI, which is empty if none is needed.
// Registrations are never shown to another server.
func (t *Transport) register(ctx context.Context, m *issuer, known *Record, redirectURI string) (Registration, error) {
	c := &t.o.Client
	switch {
	case c.ID != "":
		return t.presetRegistration(m, known)
	case c.MetadataURL != "" && m.Documents:
		return Registration{ClientID: c.MetadataURL, RedirectURI: redirectURI}, nil
	}
	if r := known.Registration; known.Issuer == m.Issuer && r.usable(redirectURI) {
		return r, nil
	}
	if m.Registration == "" || redirectURI == "" {
		return Registration{}, t.fetch.fail("client registration", m.Issuer, fmt.Errorf("%w: register it there, and set Options.Client.ID", ErrClient))
	}
	r, err := t.registerNew(ctx, m, redirectURI)
	if err != nil {
		return Registration{}, t.fetch.fail("client registration", m.Registration, err)
	}
	return r, nil
}

// presetRegistration returns the registration that was made in advance. It belongs to one authorization
// server (basic/authorization/client-registration, Authorization Server Binding).
func (t *Transport) presetRegistration(m *issuer, known *Record) (Registration, error) {
	c := &t.o.Client
	at := c.Issuer
	if at == "" && known.Registration.ClientID == c.ID {
		at = known.Issuer
	}
	if at != "" && at != m.Issuer {
		return Registration{}, t.fetch.fail("client registration", m.Issuer, fmt.Errorf("%w: the client %q is registered at %s", ErrIssuer, c.ID, at))
	}
	return Registration{ClientID: c.ID, Secret: c.Secret}, nil
}

// usable reports whether a registration can be used with a redirect URI.
func (r *Registration) usable(redirectURI string) bool {
	return r.Dynamic && r.ClientID != "" && r.RedirectURI == redirectURI && (r.Expires.IsZero() || time.Now().Before(r.Expires))
}

// registerNew registers the client (RFC 7591 section 3).
func (t *Transport) registerNew(ctx context.Context, m *issuer, redirectURI string) (Registration, error) {
	body, err := json.Marshal(map[string]any{
		"client_name": t.o.Client.Name, "redirect_uris": []string{redirectURI}, "application_type": applicationType(redirectURI),
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
		"token_endpoint_auth_method": preferredMethod(m),
	})
	if err != nil {
		return Registration{}, err
	}
	header := http.Header{"Accept": {web.JSON}, "Content-Type": {web.JSON}}
	a, err := t.fetch.do(ctx, http.MethodPost, m.Registration, header, body)
	if err != nil {
		return Registration{}, err
	}
	if a.status/100 != 2 {
		return Registration{}, t.fetch.failure(a)
	}
	var out struct {
		ID      string  `json:"client_id"`
		Secret  Secret  `json:"client_secret"`
		Method  string  `json:"token_endpoint_auth_method"`
		Expires seconds `json:"client_secret_expires_at"`
	}
	if err := json.Unmarshal(a.body, &out); err != nil || out.ID == "" {
		return Registration{}, fmt.Errorf("%w: there is no client_id", ErrToken)
	}
	t.fetch.secrets.Add(string(out.Secret))
	if max(len(out.ID), len(out.Secret), len(out.Method)) > longestSecret {
		return Registration{}, fmt.Errorf("%w: an identifier or a password has more than %d bytes", ErrToken, longestSecret)
	}
	r := Registration{ClientID: out.ID, Secret: out.Secret, AuthMethod: out.Method, RedirectURI: redirectURI, Dynamic: true}
	if out.Expires > 0 {
		r.Expires = time.Unix(int64(out.Expires), 0)
	}
	return r, nil
}

// applicationType returns the type of client that a redirect URI belongs to
// (basic/authorization/client-registration, Application Type and Redirect URI Constraints).
func applicationType(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err == nil && u.Scheme == "https" && !isLoopback(u.Hostname()) {
		return "web"
	}
	return "native"
}

// preferredMethod returns the method that the client asks for when it registers itself.
func preferredMethod(m *issuer) string {
	for _, method := range []string{authNone, authBasic, authPost} {
		if slices.Contains(m.AuthMethods, method) {
			return method
		}
	}
	return authNone
}

// method returns how a client authenticates at the token endpoint. Servers that name no methods
// support the password in a header (RFC 8414 section 2).
func (r *Registration) method(m *issuer, key *Key) (string, error) {
	supported := m.AuthMethods
	if supported == nil {
		supported = []string{authBasic}
	}
	switch {
	case r.AuthMethod != "":
		return r.AuthMethod, nil
	case key != nil && (m.AuthMethods == nil || slices.Contains(supported, authKey)):
		return authKey, nil
	case r.Secret == "":
		return authNone, nil
	}
	for _, method := range []string{authBasic, authPost, authNone} {
		if slices.Contains(supported, method) {
			return method, nil
		}
	}
	return "", fmt.Errorf("%w: the authorization server supports none of the client's ways to authenticate, only %q", ErrClient, supported)
}

// authenticate adds what identifies the client to a request to the token endpoint (RFC 6749 section
// 2.3.1, RFC 7523 section 2.2).
func (r *Registration) authenticate(m *issuer, key *Key, form url.Values, header http.Header) error {
	method, err := r.method(m, key)
	if err != nil {
		return err
	}
	switch method {
	case authBasic:
		pair := url.QueryEscape(r.ClientID) + ":" + url.QueryEscape(string(r.Secret))
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
		return nil
	case authPost:
		form.Set("client_secret", string(r.Secret))
	case authKey:
		if key == nil {
			return fmt.Errorf("%w: the authorization server requires %s, and there is no Options.Client.Key", ErrClient, authKey)
		}
		assertion, err := key.assertion(r.ClientID, m)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	case authNone:
	default:
		return fmt.Errorf("%w: the authorization server wants the client to authenticate by %q, which is not supported", ErrClient, peerlog.Text(method))
	}
	form.Set("client_id", r.ClientID)
	return nil
}

// assertion returns a JWT that identifies the client at one authorization server only (RFC 7523
// section 3).
func (k *Key) assertion(clientID string, m *issuer) (string, error) {
	const lifetime = 5 * time.Minute
	a, err := k.algorithm(m.AuthAlgs)
	if err != nil {
		return "", err
	}
	now := time.Now()
	return k.sign(a, map[string]any{"typ": "JWT"}, map[string]any{
		"iss": clientID, "sub": clientID, "aud": m.Issuer, "jti": random(), "iat": now.Unix(), "exp": now.Add(lifetime).Unix(),
	})
}
