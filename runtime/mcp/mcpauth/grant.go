package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/oauth"
)

// Grant is a way to get tokens: a [*Login], [*ClientCredentials], [*Enterprise] or [*Workload].
type Grant interface {
	// token gets a token and sets what is to be kept of it in q.next.
	token(ctx context.Context, q *request) error
}

// request is a request for a token for an MCP server.
type request struct {
	*discovery
	t      *Transport
	known  *Record  // earlier; it must not be changed
	next   *Record  // what will be kept
	scopes []string // requested
	more   bool     // the server requires further scopes
	proofs *proofs  // nil means that the token is not bound to a key
	bound  bool     // a token that is not bound is an error
}

// read returns what a client keeps of an answer of a token endpoint.
func (q *request) read(a *tokenAnswer) (Token, error) {
	t := Token{Access: a.Access, Refresh: a.Refresh, Requested: q.scopes, Scopes: q.scopes}
	if a.Scope != nil {
		var err error
		if t.Scopes, err = readScopes(string(*a.Scope), mostGranted); err != nil {
			return t, fmt.Errorf("%w: it has %w", ErrToken, err)
		}
	}
	switch {
	case strings.EqualFold(a.Type, schemeDPoP) && q.proofs != nil:
		t.Type = schemeDPoP
	case strings.EqualFold(a.Type, schemeBearer) && !q.bound:
		t.Type = schemeBearer
	case q.bound:
		return t, fmt.Errorf("%w: it is of the type %q, and has to be bound to a key (DPoP)", ErrToken, q.t.fetch.word(a.Type))
	default:
		return t, fmt.Errorf("%w: it is of the type %q", ErrToken, q.t.fetch.word(a.Type))
	}
	if fault := t.fault(); fault != "" {
		return t, fmt.Errorf("%w: %s", ErrToken, fault)
	}
	return t, nil
}

// send requests a token by a form, with what all requests have, and keeps it.
func (q *request) send(ctx context.Context, form url.Values) error {
	form.Set("resource", q.resource.Resource)
	r := &tokenRequest{issuer: q.issuer, client: q.next.Registration, key: q.t.o.Client.Key, proofs: q.proofs, form: form}
	out, err := q.t.fetch.token(ctx, r)
	if err != nil {
		return err
	}
	token, err := q.read(out)
	if err != nil {
		return q.t.fetch.fail("token request", q.issuer.Token, err)
	}
	q.next.Token = token
	return nil
}

// form returns the beginning of a request for a token.
func (q *request) form(grant string) url.Values {
	form := url.Values{"grant_type": {grant}}
	if len(q.scopes) > 0 {
		form.Set("scope", strings.Join(q.scopes, " "))
	}
	return form
}

// refresh gets a token by the refresh token of an earlier one (RFC 6749 section 6). It reports false
// if the authorization server has rejected that for good: then another grant is needed, until which the
// token is kept.
func (q *request) refresh(ctx context.Context) (bool, error) {
	token := &q.known.Token
	scopes := q.scopes
	defer func() { q.scopes = scopes }()
	q.scopes = token.Requested
	q.next.Registration = q.known.Registration
	if q.t.o.Client.ID != "" {
		q.next.Registration.Secret = q.t.o.Client.Secret // which is not kept
	}
	err := q.send(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {string(token.Refresh)}})
	answer, ok := errors.AsType[*ServerError](err)
	unknown := is(err, "invalid_client", "unauthorized_client")
	if ok && (unknown || is(err, "invalid_scope", "unsupported_grant_type") || oauth.Ends(answer.Code, answer.Description)) && !errors.Is(err, ErrClock) {
		if unknown {
			q.known = &Record{Issuer: q.known.Issuer, Key: q.known.Key, Token: q.known.Token} // it has to register again
		}
		return false, nil
	}
	if err == nil && q.next.Token.Refresh == "" {
		q.next.Token.Refresh = token.Refresh
	}
	return err == nil, err
}

const (
	grantBearer   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
)

// ClientCredentials gets tokens for the client itself (RFC 6749 section 4.4; extension
// io.modelcontextprotocol/oauth-client-credentials). [Options.Client] needs an ID, and a Secret or a
// Key.
type ClientCredentials struct{}

func (*ClientCredentials) token(ctx context.Context, q *request) (err error) {
	if q.next.Registration, err = q.t.register(ctx, q.issuer, q.known, ""); err != nil {
		return err
	}
	return q.send(ctx, q.form("client_credentials"))
}

// Workload gets tokens for a workload that its platform identifies by a JWT (RFC 7523; extension
// io.modelcontextprotocol/auth/wif). [Options.Client] needs an ID. A rejected assertion is an error:
// it is not sent again.
type Workload struct {
	// Assertion returns the JWT for an audience, which is the issuer of the authorization server. It
	// is called for every token, since assertions are short-lived.
	Assertion func(ctx context.Context, audience string) (Secret, error)
}

func (w *Workload) token(ctx context.Context, q *request) (err error) {
	if q.next.Registration, err = q.t.register(ctx, q.issuer, q.known, ""); err != nil {
		return err
	}
	assertion, err := w.Assertion(ctx, q.issuer.Issuer)
	if err != nil {
		return q.t.fetch.fail("assertion for", q.issuer.Issuer, err)
	}
	form := q.form(grantBearer)
	form.Set("assertion", string(assertion))
	return q.send(ctx, form)
}

// Enterprise gets tokens for a person whose organization decides which servers may be used
// (extension io.modelcontextprotocol/enterprise-managed-authorization): its identity provider
// exchanges the identity token of the person for a grant (ID-JAG), which the authorization server of
// the MCP server accepts. [Options.Client] identifies the client at the latter.
type Enterprise struct {
	// Issuer is the identity provider of the organization. Its metadata is read unless
	// TokenEndpoint, at which tokens are exchanged, is set.
	Issuer, TokenEndpoint string

	// Client identifies the client at the identity provider. It needs an ID.
	Client Client

	// IDToken returns the identity token of the person, which the identity provider has issued for
	// the client.
	IDToken func(ctx context.Context) (Secret, error)
}

const (
	typeIDToken = "urn:ietf:params:oauth:token-type:id_token"
	typeGrant   = "urn:ietf:params:oauth:token-type:id-jag"
)

func (e *Enterprise) token(ctx context.Context, q *request) (err error) {
	if q.next.Registration, err = q.t.register(ctx, q.issuer, q.known, ""); err != nil {
		return err
	}
	grant, err := e.exchange(ctx, q)
	if err != nil {
		return err
	}
	form := q.form(grantBearer)
	form.Set("assertion", string(grant))
	return q.send(ctx, form)
}

// exchange gets the grant from the identity provider (RFC 8693).
func (e *Enterprise) exchange(ctx context.Context, q *request) (Secret, error) {
	provider := &issuer{Issuer: e.Issuer, Token: e.TokenEndpoint}
	var err error
	if e.TokenEndpoint == "" {
		if provider, err = q.t.fetch.issuer(ctx, e.Issuer); err != nil {
			return "", err
		}
	}
	identity, err := e.IDToken(ctx)
	if err != nil {
		return "", q.t.fetch.fail("identity token of", e.Issuer, err)
	}
	form := q.form(grantExchange)
	for name, value := range map[string]string{
		"requested_token_type": typeGrant, "audience": q.issuer.Issuer, "resource": q.resource.Resource,
		"subject_token": string(identity), "subject_token_type": typeIDToken,
	} {
		form.Set(name, value)
	}
	client := Registration{ClientID: e.Client.ID, Secret: e.Client.Secret}
	out, err := q.t.fetch.token(ctx, &tokenRequest{issuer: provider, client: client, key: e.Client.Key, form: form})
	if err == nil && out.Issued != typeGrant {
		err = q.t.fetch.fail("token request", provider.Token, fmt.Errorf("%w: it is of the type %q", ErrToken, q.t.fetch.word(out.Issued)))
	}
	if err != nil {
		return "", err
	}
	return out.Access, nil
}
