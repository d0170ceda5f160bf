package mcpauth

import (
	"net/http"
	"net/url"
	"sync/atomic"
)

// credentials are what requests are authorized with. Only accepted changes.
type credentials struct {
	record   *Record
	proofs   *proofs // nil if the token is not bound to a key
	source   source
	accepted atomic.Bool // the server has accepted the token
}

// source is where a token comes from.
type source int

const (
	fromStore source = iota
	fromRefresh
	fromGrant
)

// noted keeps what a response says of the credentials, and reports whether the server requires that
// the request is repeated with a new nonce.
func (c *credentials) noted(u *url.URL, resp *http.Response) bool {
	required := challengeOf(resp)
	if required == nil || required.forbids() {
		c.accepted.Store(true)
	}
	if c.proofs == nil {
		return false
	}
	isNew := c.proofs.remember(u, resp.Header.Get("DPoP-Nonce"))
	return isNew && required != nil && required.code == "use_dpop_nonce"
}
