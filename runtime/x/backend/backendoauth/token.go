// Package backendoauth gets credentials for HTTP APIs by OAuth 2: of a program that acts for itself ([Machine]), of a principal whose token is exchanged
// ([Exchange]), and of one who logs in at the API ([Login]). Tokens belong to a principal, a backend and a scheme.
//
// The package is young: it has no compatibility promise yet.
//
//test:by ./test/backend
package backendoauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/oauth"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// Options say how tokens are got. What is empty is what the scheme of the API says.
type Options struct {
	// ClientID and ClientSecret are those of the program at the authorization server. A public client has no secret. With SecretInBody, the secret is sent as a
	// parameter and not in the header Authorization (RFC 6749 section 2.3.1).
	ClientID, ClientSecret string
	SecretInBody           bool

	// Authorize and Token are the URLs of the authorization server: https, or http on this machine.
	Authorize, Token string

	// Scopes are asked for.
	Scopes []string

	// Audience and Resource say for which API a token is (RFC 8693 section 2.1, RFC 8707). Empty: they are not sent.
	Audience, Resource string

	// Transport sends requests to the authorization server. The default is one like http.DefaultTransport with a limit for headers.
	Transport http.RoundTripper
}

// transport is the default of all.
var transport = web.NewTransport()

// token is what an authorization server gave.
type token struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // zero if that is not known

	looked  time.Time // when it was last seen in the store
	unsaved bool      // the store has failed to take it
}

// is reports whether two tokens are the same one.
func (t *token) is(other *token) bool {
	return t != nil && other != nil && t.Access == other.Access && t.Refresh == other.Refresh
}

// early is how long before it expires a token is no longer used.
const early = 30 * time.Second

func (t *token) valid() bool {
	return t != nil && t.Access != "" && (t.Expires.IsZero() || time.Until(t.Expires) > early)
}

// serves reports whether a token can be used for what is asked.
func (t *token) serves(q backend.Ask) bool { return t.valid() && !q.RefusedToken(t.Access) }

// Limits of requests to an authorization server.
const (
	requestTimeout = 30 * time.Second
	maxAnswer      = 1 << 20
)

// errorAnswer is an error of a token endpoint (RFC 6749 section 5.2).
type errorAnswer struct {
	status int
	code   string
	ends   bool // the grant
}

func (e *errorAnswer) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the token endpoint answered %d %s", e.status, e.code))
}

// request sends a request to the token endpoint. It follows no redirects, and errors do not repeat what was sent.
func (o *Options) request(ctx context.Context, q backend.Ask, form url.Values) (*token, error) {
	at, err := endpoint(cmp.Or(o.Token, q.Token))
	if err != nil {
		return nil, fmt.Errorf("the token endpoint: %w", err)
	}
	for name, value := range map[string]string{"scope": strings.Join(o.scopes(q), " "), "audience": o.Audience, "resource": o.Resource} {
		if value != "" && form.Get("grant_type") != "authorization_code" {
			form.Set(name, value)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	inBody := o.ClientSecret == "" || o.SecretInBody
	if inBody {
		form.Set("client_id", o.ClientID)
	}
	if o.ClientSecret != "" && o.SecretInBody {
		form.Set("client_secret", o.ClientSecret)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, errors.New("the token endpoint cannot be asked")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if !inBody {
		r.SetBasicAuth(url.QueryEscape(o.ClientID), url.QueryEscape(o.ClientSecret))
	}
	secrets := new(web.Secrets)
	secrets.Add(o.ClientSecret)
	for _, name := range []string{"refresh_token", "code", "code_verifier", "subject_token"} {
		secrets.Add(form.Get(name))
	}
	client := http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.Transport == nil {
		client.Transport = transport
	}
	a, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the token endpoint cannot be reached: %w", secrets.HideError(err))
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the token endpoint cannot be read: %w", secrets.HideError(err))
	}
	t, err := readToken(a.StatusCode, body)
	return t, secrets.HideError(err)
}

// readToken reads an answer of a token endpoint (RFC 6749 section 5).
func readToken(status int, body []byte) (*token, error) {
	var answer struct {
		Access  string      `json:"access_token"`
		Type    string      `json:"token_type"`
		Refresh string      `json:"refresh_token"`
		Expires json.Number `json:"expires_in"` // some send a text
	}
	if code, description, refused := oauth.TokenError(status, body); refused {
		return nil, &errorAnswer{status, word(code), oauth.Ends(code, description)}
	}
	err := json.Unmarshal(body, &answer)
	if err != nil || answer.Access == "" {
		return nil, errors.New("the answer of the token endpoint has no access_token")
	}
	if answer.Type != "" && !strings.EqualFold(answer.Type, "bearer") && answer.Type != "N_A" {
		return nil, errors.New("the token endpoint gave a token that is not a bearer token")
	}
	t := &token{Access: answer.Access, Refresh: answer.Refresh}
	const longest = 10 * 365 * 24 * 3600
	if seconds, err := answer.Expires.Float64(); err == nil && seconds > 0 {
		t.Expires = time.Now().Add(time.Duration(min(seconds, longest)) * time.Second)
	}
	return t, nil
}

// word is an error code as it may be logged.
func word(s string) string {
	if len(s) > 60 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return s
}

func (o *Options) scopes(q backend.Ask) []string {
	if o.Scopes != nil {
		return o.Scopes
	}
	return q.Scopes
}

// endpoint checks the URL of an authorization server.
func endpoint(text string) (string, error) {
	if text == "" {
		return "", errors.New("no URL is given, and the scheme does not say one")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return "", errors.New("the URL must be one of https, or of http on this machine, without user and fragment")
	}
	return text, nil
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// challenge is the code challenge of a verifier (RFC 7636 section 4.2).
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
