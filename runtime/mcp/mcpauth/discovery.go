package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// resource is the metadata of an MCP server (RFC 9728 section 2).
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Bound    bool     `json:"dpop_bound_access_tokens_required"`
	legacy   bool     // there is no metadata: the server is of the revision 2025-03-26
}

const resourcePath = "/.well-known/oauth-protected-resource"

// resource finds the metadata of the MCP server: at the URL of a challenge, or else below the well-known path
// (basic/authorization/authorization-server-discovery). Servers without metadata are their own authorization servers (2025-03-26, basic/authorization).
func (t *Transport) resource(ctx context.Context, challenged string) (*resource, error) {
	if challenged != "" {
		return t.resourceAt(ctx, challenged)
	}
	root := origin(t.server)
	paths := []string{root + resourcePath}
	if path := strings.TrimSuffix(t.server.EscapedPath(), "/"); path != "" {
		paths = []string{root + resourcePath + path, root + resourcePath}
	}
	for _, at := range paths {
		r, err := t.resourceAt(ctx, at)
		if !errors.Is(err, errAbsent) {
			return r, err
		}
	}
	return &resource{Resource: t.server.String(), Servers: []string{root}, legacy: true}, nil
}

// resourceAt reads the metadata at a URL, which must be about the MCP server (RFC 9728 section 3.3):
// otherwise a server could have tokens issued for another one.
func (t *Transport) resourceAt(ctx context.Context, at string) (*resource, error) {
	r := new(resource)
	err := t.fetch.document(ctx, at, r)
	switch {
	case err != nil:
	case !t.within(r.Resource):
		err = fmt.Errorf("%w: it is about %q, and the server is %s", ErrResource, t.fetch.word(r.Resource), t.server)
	case !t.o.AllowParentResource && !t.is(r.Resource):
		err = fmt.Errorf("%w: it is about %q, of which the server, %s, is a part (Options.AllowParentResource allows that)", ErrResource,
			t.fetch.word(r.Resource), t.server)
	case len(r.Servers) == 0:
		err = fmt.Errorf("%w: it names no authorization server", ErrMetadata)
	default:
		if err = checkScopes(r.Scopes, mostScopes); err != nil {
			err = fmt.Errorf("%w: scopes_supported has %w", ErrMetadata, err)
		}
	}
	if err != nil {
		return nil, t.fetch.fail("resource metadata", at, err)
	}
	return r, nil
}

// is reports whether a resource, of which within is true, is the MCP server (RFC 9728 section 3.3). A slash at the end
// makes no difference, nor does the query of the server if the resource has none.
func (t *Transport) is(resource string) bool {
	u, err := url.Parse(resource)
	return err == nil && strings.TrimSuffix(u.EscapedPath(), "/") == strings.TrimSuffix(t.server.EscapedPath(), "/")
}

// within reports whether a resource is the MCP server, or a part of its site that contains it.
func (t *Transport) within(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || u.Opaque != "" || u.User != nil || strings.Contains(resource, "#") || origin(u) != origin(t.server) {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != t.server.RawQuery || slices.Contains(strings.Split(u.Path, "/"), "..") {
		return false
	}
	outer, inner := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(t.server.EscapedPath(), "/")
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}

// issuer is the metadata of an authorization server (RFC 8414 section 2, OpenID Connect Discovery 1.0 section 3).
type issuer struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	AuthAlgs      []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	DPoPAlgs      []string `json:"dpop_signing_alg_values_supported"`
	GivesIss      bool     `json:"authorization_response_iss_parameter_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
}

// longestIssuer limits the identifier of an authorization server, which is kept, in bytes.
const longestIssuer = 2 << 10

// issuer reads the metadata of an authorization server. It must name that server as its issuer, by simple comparison (RFC 8414 section 3.3).
func (f *fetcher) issuer(ctx context.Context, id string) (*issuer, error) {
	u, err := f.guard.check(id)
	if err == nil && len(id) > longestIssuer {
		err = fmt.Errorf("%w: an issuer has at most %d bytes", ErrMetadata, longestIssuer)
	}
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = fmt.Errorf("%w: an issuer has no query", ErrMetadata)
	}
	if err != nil {
		return nil, f.fail("authorization server", id, err)
	}
	for _, at := range issuerPaths(u) {
		m := new(issuer)
		err = f.document(ctx, at, m)
		if errors.Is(err, errAbsent) {
			continue
		}
		if err == nil {
			err = f.checkIssuer(m, id)
		}
		if err != nil {
			return nil, f.fail("authorization server metadata", at, err)
		}
		return m, nil
	}
	return nil, f.fail("authorization server metadata", id, errAbsent)
}

// issuerPaths returns where the metadata of an issuer may be, in the order of priority.
func issuerPaths(u *url.URL) []string {
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	root, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	if path == "" {
		return []string{root + oauth, root + openID}
	}
	return []string{root + oauth + path, root + openID + path, root + path + openID}
}

// checkIssuer checks metadata that was found for an issuer.
func (f *fetcher) checkIssuer(m *issuer, id string) error {
	if m.Issuer != id {
		return fmt.Errorf("%w: it is %q, and the document was found for %q", ErrIssuer, m.Issuer, id)
	}
	if m.Token == "" {
		return fmt.Errorf("%w: there is no token_endpoint", ErrMetadata)
	}
	for name, endpoint := range map[string]string{"authorization": m.Authorization, "token": m.Token, "registration": m.Registration} {
		if endpoint == "" {
			continue
		}
		if _, err := f.guard.check(endpoint); err != nil {
			return fmt.Errorf("%s_endpoint %q: %w", name, endpoint, err)
		}
	}
	return nil
}

// discovery is what is known of the servers when a token is requested.
type discovery struct {
	resource *resource
	issuer   *issuer
}

// discover finds the authorization server of the MCP server.
func (t *Transport) discover(ctx context.Context, c *challenge, known *Record) (*discovery, error) {
	if !secure(t.server) {
		return nil, t.fail("MCP server", fmt.Errorf("%w: tokens are sent by https only, and by http to this machine", ErrBlocked))
	}
	r, err := t.resource(ctx, c.metadata)
	if err != nil {
		return nil, err
	}
	m, err := t.fetch.issuer(ctx, t.choose(r.Servers, known))
	if r.legacy && errors.Is(err, errAbsent) {
		m, err = legacyIssuer(t.server), nil
	}
	if err != nil {
		return nil, err
	}
	return &discovery{r, m}, nil
}

// choose returns one of the authorization servers of an MCP server: the one at which the client is registered, or else the first one.
func (t *Transport) choose(servers []string, known *Record) string {
	for _, id := range []string{t.o.Client.Issuer, known.Issuer} {
		if slices.Contains(servers, id) {
			return id
		}
	}
	return servers[0]
}

// legacyIssuer returns the endpoints of an authorization server without metadata (2025-03-26,
// basic/authorization, Fallbacks for Servers without Metadata Discovery).
func legacyIssuer(server *url.URL) *issuer {
	root := origin(server)
	return &issuer{
		Issuer: root, Authorization: root + "/authorize", Token: root + "/token", Registration: root + "/register",
		Challenges: []string{challengeMethod},
	}
}
