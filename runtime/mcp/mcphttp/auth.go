package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Auth makes a server an OAuth 2.1 resource server: every request must carry a bearer token, and
// clients without one learn where to get it (basic/authorization; RFC 6750, RFC 9728).
type Auth struct {
	// Verify returns the principal of a token. It must check that the token was issued for this server, has not expired, and allows the request r, as far as the
	// headers show. An [*InsufficientScopeError] is answered 403, an error that wraps [ErrUnavailable] 503, and any other error 401. A panic is logged and
	// answered 500. [Options.MaxCalls] and MaxCallsPerClient limit how many calls of Verify run at the same time, too; there a client is what [Options.ClientOf]
	// names, or an address.
	Verify func(ctx context.Context, token string, r *http.Request) (Principal, error)

	// Resource is the URL of the server as its clients know it, such as https://mcp.example.com/mcp, without a fragment. It may be empty if there are no
	// AuthorizationServers.
	Resource string

	// AuthorizationServers are the issuers of tokens. Empty means that clients get their tokens in
	// some other way: no metadata is served, and a challenge names no issuer.
	AuthorizationServers []string

	// Scopes are the scopes that clients need for basic use. Empty means that they are not announced.
	Scopes []string

	// Name and Documentation, which is a URL, describe the server to people. Empty means that they are not announced.
	Name, Documentation string
}

// Tokens returns an Auth for fixed bearer tokens (RFC 6750 section 2.1). The map leads from each
// token to the id of the principal that it was given to. Tokens are compared in constant time.
func Tokens(ids map[string]string) *Auth {
	tokens := web.NewTokens(ids)
	return &Auth{Verify: func(_ context.Context, token string, _ *http.Request) (Principal, error) {
		id, ok := tokens.Find(token)
		if !ok {
			return Principal{}, errToken
		}
		return Principal{ID: id}, nil
	}}
}

var errToken = errors.New("the token is not known")

// Principal is the owner of a token.
type Principal struct {
	ID     string   // not empty and unique; handlers get it from [mcp.PrincipalFrom]
	Scopes []string // of the token, see [principal.WithScopes]
	Claims any      // other properties; handlers get them from [ClaimsFrom]
}

// ErrUnavailable is wrapped by errors of Verify that are not about the token: it could not be verified at present.
var ErrUnavailable = errors.New("mcphttp: tokens cannot be verified now")

// InsufficientScopeError means that a valid token does not allow the request.
type InsufficientScopeError struct {
	Scopes []string // the required scopes
}

func (e *InsufficientScopeError) Error() string {
	return "the token lacks a scope: " + strings.Join(e.Scopes, " ")
}

// ClaimsFrom returns the claims of the principal of the request that ctx belongs to, or nil.
func ClaimsFrom(ctx context.Context) any { return ctx.Value(claimsKey{}) }

type claimsKey struct{}

// authority is an Auth with what is derived from it.
type authority struct {
	Auth
	path     string // of the metadata; empty if none is served
	document []byte
	where    string // the parameter of challenges with the URL of the metadata
}

// newAuthority panics if a is an invalid configuration.
func newAuthority(a *Auth) *authority {
	u, err := url.Parse(a.Resource)
	switch {
	case a.Verify == nil:
		panic("mcphttp: Auth has no Verify")
	case len(a.AuthorizationServers) == 0:
		return &authority{Auth: *a, where: "Bearer"}
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "":
		panic("mcphttp: Auth.Resource is not the URL of a server: " + a.Resource)
	}
	path := MetadataPath(a.Resource)
	return &authority{
		Auth: *a, path: path, document: a.metadata(),
		where: `Bearer resource_metadata="` + u.Scheme + "://" + u.Host + path + `"`,
	}
}

const wellKnown = "/.well-known/oauth-protected-resource"

// MetadataPath returns the path at which the metadata of a resource is served, such as /.well-known/oauth-protected-resource/mcp for
// https://mcp.example.com/mcp (RFC 9728 section 3.1). A [Handler] with [Options.Auth] serves it at this path too.
func MetadataPath(resource string) string {
	u, err := url.Parse(resource)
	if err != nil {
		return wellKnown
	}
	return wellKnown + strings.TrimSuffix(u.EscapedPath(), "/")
}

// metadata returns the document that names the issuers of tokens (RFC 9728 section 2).
func (a *Auth) metadata() []byte {
	b, err := json.Marshal(struct {
		Resource      string   `json:"resource"`
		Servers       []string `json:"authorization_servers"`
		Scopes        []string `json:"scopes_supported,omitempty"`
		Methods       []string `json:"bearer_methods_supported"`
		Name          string   `json:"resource_name,omitempty"`
		Documentation string   `json:"resource_documentation,omitempty"`
	}{a.Resource, a.AuthorizationServers, a.Scopes, []string{"header"}, a.Name, a.Documentation})
	if err != nil {
		panic(err) // all of it can be represented as JSON
	}
	return b
}

// serveMetadata serves the metadata to everyone, including pages of other sites.
func (a *authority) serveMetadata(w http.ResponseWriter, r *http.Request, timeout time.Duration) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		header["Content-Type"] = jsonType
		header.Set("Cache-Control", "max-age=3600")
		web.WriteBody(w, timeout, http.StatusOK, a.document) // net/http omits the body for HEAD
	case http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", "GET")
		header.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
		web.WriteBody(w, timeout, http.StatusNoContent, nil)
	default:
		header.Set("Allow", "GET")
		web.WriteBody(w, timeout, http.StatusMethodNotAllowed, nil)
	}
}

// authenticate returns the context of a request with a valid token. Otherwise it has answered the request.
func (h *Handler) authenticate(w http.ResponseWriter, r *http.Request) (context.Context, bool) {
	a := h.auth
	if a == nil {
		return r.Context(), true
	}
	token, ok := web.Bearer(r.Header["Authorization"])
	if !ok {
		h.challenge(w, http.StatusUnauthorized, "a bearer token is required", "", a.Scopes)
		return nil, false
	}
	p, err := Principal{}, error(nil)
	if !h.gate.Pass(w, r, func() { p, err = a.Verify(r.Context(), token, r) }, func(cond runtime.Condition) { h.refuse(w, *conditionRefusal(cond)) }) {
		return nil, false
	}
	if err == nil && p.ID == "" {
		err = errors.New("the principal has no ID")
	}
	if err == nil {
		web.AwaitBody(w, r, h.o.BodyTimeout) // the time of Verify is not the client's
		ctx := principal.WithScopes(mcp.WithPrincipal(r.Context(), p.ID), p.Scopes...)
		return context.WithValue(ctx, claimsKey{}, p.Claims), true
	}
	h.deny(w, err)
	return nil, false
}

// deny answers a request whose token was rejected.
func (h *Handler) deny(w http.ResponseWriter, err error) {
	if scope, ok := errors.AsType[*InsufficientScopeError](err); ok {
		h.challenge(w, http.StatusForbidden, "the token lacks a scope", web.InsufficientScope, scope.Scopes)
		return
	}
	if errors.Is(err, ErrUnavailable) {
		h.peerLog.Warn("a token could not be verified", "error", err)
		cond := runtime.Condition{Kind: when.Overloaded, Reason: "tokens cannot be verified now", RetryAfter: web.Busy}
		h.refuse(w, refusal{status: http.StatusServiceUnavailable, condition: cond})
		return
	}
	h.peerLog.Debug("a token was rejected", "error", err)
	h.challenge(w, http.StatusUnauthorized, "the token is not valid", "invalid_token", h.auth.Scopes)
}

// challenge tells the client how to get a suitable token (RFC 6750 section 3, RFC 9728 section 5.1).
func (h *Handler) challenge(w http.ResponseWriter, status int, text, code string, scopes []string) {
	web.SetChallenge(w, h.auth.where, code, scopeText(scopes))
	h.refuse(w, refusal{status: status, text: text})
}

// demand tells a client that lacks scopes for its call which ones it needs.
func (h *Handler) demand(w http.ResponseWriter, o *transport.Outcome) {
	where := "Bearer"
	if h.auth != nil {
		where = h.auth.where
	}
	web.Demand(w, where, o.Scope)
}

// scopeText returns scopes as a challenge has them (RFC 6750 section 3). Those that have other characters than a scope may have are left out: no token has
// them.
func scopeText(scopes []string) string {
	other := func(r rune) bool { return r < '!' || r > '~' || r == '"' || r == '\\' }
	var all []string
	for scope := range strings.FieldsSeq(strings.Join(scopes, " ")) {
		if !strings.ContainsFunc(scope, other) {
			all = append(all, scope)
		}
	}
	return strings.Join(all, " ")
}
