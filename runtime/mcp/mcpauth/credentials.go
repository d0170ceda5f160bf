package mcpauth

import (
	"io"
	"net/http"
	"net/url"
	"strings"
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
	if required == nil || required.status == http.StatusForbidden {
		c.accepted.Store(true)
	}
	if c.proofs == nil {
		return false
	}
	isNew := c.proofs.remember(u, resp.Header.Get("DPoP-Nonce"))
	return isNew && required != nil && required.code == "use_dpop_nonce"
}

// hide removes the token from the beginning of an error response, in case the server repeats it:
// that text gets into errors.
func (c *credentials) hide(resp *http.Response) *http.Response {
	const most = 64 << 10
	token := string(c.record.Token.Access)
	if resp.StatusCode < http.StatusBadRequest || token == "" {
		return resp
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, most))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	clean := strings.NewReader(scrub(string(text), token))
	resp.Body = &body{io.MultiReader(clean, rest), resp.Body}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp
}

// body is a body of which a part was read.
type body struct {
	io.Reader
	io.Closer
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
