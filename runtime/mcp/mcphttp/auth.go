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
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Auth makes a server an OAuth 2.1 resource server: every request carries a bearer token, and clients that have none are told where to
// get one (basic/authorization; RFC 6750, RFC 9728).
type Auth struct {
	// Verify says whose token it is. It has to make sure that the token was issued for this server, is not expired, and allows
	// what r asks for, as far as headers tell. An error that is an [*InsufficientScopeError] is answered 403, one that wraps
	// [ErrUnavailable] 503, and any other 401.
	Verify func(ctx context.Context, token string, r *http.Request) (Principal, error)

	// Resource is the URL of the server as its clients know it, such as https://mcp.example.com/mcp, without a fragment.
	Resource string

	// AuthorizationServers are the issuers that tokens come from; at least one.
	AuthorizationServers []string

	// Scopes are what clients need for the basics; none: they are not told.
	Scopes []string

	// Name and Documentation describe the server to people; empty: they are not told. Documentation is a URL.
	Name, Documentation string
}

// Principal is who a token was issued to.
type Principal struct {
	ID     string // must not be empty, and differ from that of everybody else; [mcp.PrincipalFrom] gives it to handlers
	Claims any    // what else is known; [ClaimsFrom] gives it to handlers
}

// ErrUnavailable is what an error of Verify wraps that says nothing about the token: it could not be verified now.
var ErrUnavailable = errors.New("mcphttp: tokens cannot be verified now")

// InsufficientScopeError says that a good token does not allow what is asked for.
type InsufficientScopeError struct {
	Scopes []string // that are needed
}

func (e *InsufficientScopeError) Error() string {
	return "the token lacks a scope: " + strings.Join(e.Scopes, " ")
}

// ClaimsFrom returns the claims of the principal of a handler's request; nil: there are none.
func ClaimsFrom(ctx context.Context) any { return ctx.Value(claimsKey{}) }

type claimsKey struct{}

// authority is an Auth with what follows from it.
type authority struct {
	Auth
	path     string // of the metadata
	document []byte
	where    string // the parameter of challenges that says where the metadata is
}

// newAuthority panics when a is no configuration that could work.
func newAuthority(a *Auth) *authority {
	u, err := url.Parse(a.Resource)
	switch {
	case a.Verify == nil:
		panic("mcphttp: Auth has no Verify")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "":
		panic("mcphttp: Auth.Resource is no URL of a server: " + a.Resource)
	case len(a.AuthorizationServers) == 0:
		panic("mcphttp: Auth has no AuthorizationServers")
	}
	path := MetadataPath(a.Resource)
	return &authority{
		Auth: *a, path: path, document: a.metadata(),
		where: `Bearer resource_metadata="` + u.Scheme + "://" + u.Host + path + `"`,
	}
}

const wellKnown = "/.well-known/oauth-protected-resource"

// MetadataPath returns where the metadata of a resource is served, such as /.well-known/oauth-protected-resource/mcp for
// https://mcp.example.com/mcp (RFC 9728 section 3.1). A [Handler] with [Options.Auth] serves it there, too.
func MetadataPath(resource string) string {
	u, err := url.Parse(resource)
	if err != nil {
		return wellKnown
	}
	return wellKnown + strings.TrimSuffix(u.EscapedPath(), "/")
}

// metadata returns the document that says who issues tokens (RFC 9728 section 2).
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
		panic(err) // there is nothing in it that could not be written
	}
	return b
}

// serveMetadata serves the document to anybody, pages of other sites included.
func (a *authority) serveMetadata(w http.ResponseWriter, r *http.Request, timeout time.Duration) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		header["Content-Type"] = jsonType
		header.Set("Cache-Control", "max-age=3600")
		web.WriteBody(w, timeout, http.StatusOK, a.document) // of which net/http leaves out the body for HEAD
	case http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", "GET")
		header.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
		web.WriteBody(w, timeout, http.StatusNoContent, nil)
	default:
		header.Set("Allow", "GET")
		web.WriteBody(w, timeout, http.StatusMethodNotAllowed, nil)
	}
}

// authenticate returns the context of a request whose token is good; otherwise it has been answered.
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
	p, err := a.Verify(r.Context(), token, r)
	if err == nil && p.ID == "" {
		err = errors.New("the principal has no ID")
	}
	if err == nil {
		ctx := mcp.WithPrincipal(r.Context(), p.ID)
		return context.WithValue(ctx, claimsKey{}, p.Claims), true
	}
	h.denied(w, err)
	return nil, false
}

// denied answers for a token that was refused.
func (h *Handler) denied(w http.ResponseWriter, err error) {
	if scope, ok := errors.AsType[*InsufficientScopeError](err); ok {
		h.challenge(w, http.StatusForbidden, "the token lacks a scope", "insufficient_scope", scope.Scopes)
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

// challenge tells the client how to get a token that does (RFC 6750 section 3, RFC 9728 section 5.1).
func (h *Handler) challenge(w http.ResponseWriter, status int, text, code string, scopes []string) {
	value := h.auth.where
	if code != "" {
		value += `, error="` + code + `"`
	}
	if len(scopes) > 0 {
		value += `, scope="` + strings.Join(scopes, " ") + `"`
	}
	w.Header().Set("WWW-Authenticate", value)
	h.refuse(w, refusal{status: status, text: text})
}
