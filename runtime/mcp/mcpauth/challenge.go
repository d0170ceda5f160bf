package mcpauth

import (
	"cmp"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// challenge is what a server requires of a token (RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728
// section 5.1).
type challenge struct {
	status       int
	metadata     string   // URL of the metadata of the server; may be empty
	scopes       []string // required; may be empty
	fault        error    // what is wrong with the scopes
	code         string   // such as invalid_token; empty if no token was sent
	bearer, dpop bool     // the schemes that the server names
}

// challengeOf returns the challenge of a response, or nil if no other token would change the
// response.
func challengeOf(resp *http.Response) *challenge {
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return nil
	}
	c := &challenge{status: resp.StatusCode}
	for _, one := range web.Challenges(resp.Header["Www-Authenticate"]) {
		switch one.Scheme {
		case "bearer":
			c.bearer = true
		case "dpop":
			c.dpop = true
		default:
			continue
		}
		c.take(one.Params)
	}
	if c.forbids() && c.code != "insufficient_scope" {
		return nil
	}
	return c
}

// forbids reports whether the server requires further scopes.
func (c *challenge) forbids() bool { return c.status == http.StatusForbidden }

// take adds the parameters of a challenge that no earlier one has.
func (c *challenge) take(params map[string]string) {
	c.metadata = cmp.Or(c.metadata, params["resource_metadata"])
	if len(c.scopes) == 0 && c.fault == nil {
		c.scopes, c.fault = readScopes(params["scope"], mostScopes)
	}
	c.code = cmp.Or(c.code, params["error"])
}
