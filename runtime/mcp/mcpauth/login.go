package mcpauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// Login gets tokens for a person, who logs in at the authorization server with a browser: the
// authorization code flow with PKCE (basic/authorization, RFC 7636).
type Login struct {
	// Agent takes the person to the authorization server and back.
	Agent Agent

	// Timeout limits the time that a person has for it. Zero means 5 minutes.
	Timeout time.Duration
}

// Agent takes a person to an authorization server and back to the client. [*Loopback] is one for
// programs on the machine of the person.
type Agent interface {
	// Begin prepares a visit. The argument registered is the redirect URI with which the client is
	// registered, or empty: if the visit has the same one, the client need not register again.
	Begin(ctx context.Context, registered string) (Visit, error)
}

// Visit is one visit at an authorization server.
type Visit interface {
	// RedirectURI is where the authorization server redirects the browser.
	RedirectURI() string

	// Go shows the page at a URL to the person, and returns the whole URI that the browser was
	// redirected to. It is called once.
	Go(ctx context.Context, authorizationURL string) (redirected string, err error)

	// Close ends the visit. It is called once, whether Go was called or not.
	Close() error
}

const (
	challengeMethod = "S256"
	offline         = "offline_access"
	loginTimeout    = 5 * time.Minute
)

func (l *Login) token(ctx context.Context, q *request) error {
	if err := checkLogin(q.issuer); err != nil {
		return q.t.fetch.fail("login", q.issuer.Issuer, err)
	}
	if err := q.t.pace.begin(q); err != nil {
		return q.t.fail("login at", err)
	}
	timeout := l.Timeout
	defaults.Set(&timeout, loginTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	visit, err := l.Agent.Begin(ctx, q.known.Registration.RedirectURI)
	if err != nil {
		return q.t.fetch.fail("login", q.issuer.Issuer, err)
	}
	defer visit.Close()
	if q.next.Registration, err = q.t.register(ctx, q.issuer, q.known, visit.RedirectURI()); err != nil {
		return err
	}
	if len(q.scopes) > 0 && slices.Contains(q.issuer.Scopes, offline) && !slices.Contains(q.scopes, offline) {
		q.scopes = append(q.scopes, offline)
	}
	err = l.visit(ctx, q, visit)
	q.t.pace.end(err)
	return err
}

// checkLogin returns an error if people cannot log in safely at an authorization server
// (basic/authorization/security-considerations, Authorization Code Protection).
func checkLogin(m *issuer) error {
	if m.Authorization == "" {
		return fmt.Errorf("%w: there is no authorization_endpoint", ErrMetadata)
	}
	if !slices.Contains(m.Challenges, challengeMethod) {
		return fmt.Errorf("%w: code_challenge_methods_supported does not contain %s, so PKCE is not supported", ErrMetadata, challengeMethod)
	}
	return nil
}

// visit lets the person log in, and requests the token. The state and the verifier exist only here,
// so that none is used twice.
func (l *Login) visit(ctx context.Context, q *request, v Visit) error {
	state, verifier := random(), random()
	at, err := authorizationURL(q, v.RedirectURI(), state, verifier)
	if err != nil {
		return q.t.fetch.fail("login", q.issuer.Authorization, err)
	}
	secrets := q.t.fetch.secrets
	secrets.Add(state, verifier)
	redirected, err := v.Go(ctx, at)
	var code string
	if err == nil {
		code, err = q.t.fetch.checkRedirect(redirected, v.RedirectURI(), state, q.issuer)
	}
	if err != nil {
		return q.t.fetch.fail("login", q.issuer.Authorization, err)
	}
	return q.send(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {v.RedirectURI()},
	})
}

// authorizationURL returns the URL of the page at which the person logs in.
func authorizationURL(q *request, redirectURI, state, verifier string) (string, error) {
	u, err := q.t.fetch.guard.check(q.issuer.Authorization)
	if err != nil {
		return "", err
	}
	// People see the address of the page, and programs print it.
	named := q.issuer.Authorization + " " + strings.Join(q.scopes, " ")
	if q.next.Registration.Dynamic {
		named += " " + q.next.Registration.ClientID
	}
	if q.t.fetch.secrets.Hide(named) != named {
		return "", fmt.Errorf("%w: the address of the login page, the identifier of the client or a scope contains a secret", ErrMetadata)
	}
	sum := sha256.Sum256([]byte(verifier))
	query := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": q.next.Registration.ClientID, "redirect_uri": redirectURI, "state": state,
		"code_challenge": encode(sum[:]), "code_challenge_method": challengeMethod, "resource": q.resource.Resource,
	} {
		query.Set(name, value)
	}
	if len(q.scopes) > 0 {
		query.Set("scope", strings.Join(q.scopes, " "))
	}
	if q.proofs != nil {
		query.Set("dpop_jkt", q.proofs.thumbprint())
	}
	if slices.Contains(q.scopes, offline) {
		query.Set("prompt", "consent") // OpenID Connect Core 1.0 section 11
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// checkRedirect returns the code of a redirect that belongs to a login: its URI, its state and its
// issuer are those that were expected (RFC 6749 section 4.1.2, RFC 9207 section 2.4). Nothing else of
// a redirect is used before that, not even an error.
func (f *fetcher) checkRedirect(redirected, redirectURI, state string, m *issuer) (code string, err error) {
	u, err := url.Parse(redirected)
	want, _ := url.Parse(redirectURI)
	if err != nil || want == nil || origin(u) != origin(want) || u.EscapedPath() != want.EscapedPath() {
		return "", fmt.Errorf("%w: its URI is not the one of the client", ErrRedirect)
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", fmt.Errorf("%w: its query cannot be read", ErrRedirect)
	}
	f.secrets.Add(values["code"]...)
	for _, name := range []string{"state", "iss", "code", "error"} {
		if len(values[name]) > 1 {
			return "", fmt.Errorf("%w: it has %d parameters %s", ErrRedirect, len(values[name]), name)
		}
	}
	if subtle.ConstantTimeCompare([]byte(values.Get("state")), []byte(state)) != 1 {
		return "", fmt.Errorf("%w: its state is another one", ErrRedirect)
	}
	if err := f.checkRedirectIssuer(values, m); err != nil {
		return "", err
	}
	if values.Has("error") {
		return "", &ServerError{Code: f.word(values.Get("error")), Description: f.word(values.Get("error_description"))}
	}
	if code = values.Get("code"); code == "" {
		return "", fmt.Errorf("%w: it has no code", ErrRedirect)
	}
	return code, nil
}

// checkRedirectIssuer returns an error if a redirect may come from another authorization server than
// the one that the person was sent to (a mix-up attack).
func (f *fetcher) checkRedirectIssuer(values url.Values, m *issuer) error {
	switch iss, given := values["iss"]; {
	case given && iss[0] != m.Issuer:
		return fmt.Errorf("%w: the redirect comes from %q, and the login was at %q", ErrIssuer, f.word(iss[0]), m.Issuer)
	case !given && m.GivesIss:
		return fmt.Errorf("%w: the redirect does not name it, although the metadata of %q says so", ErrIssuer, m.Issuer)
	}
	return nil
}

// errNoBrowser is returned for a visit that a caller without a browser began.
var errNoBrowser = errors.New("there is no function to open a browser")
