package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Transport is an [http.RoundTripper] that authorizes requests to one MCP server. It is safe for
// concurrent use: requests that need a token at the same time share one login. Requests to other
// servers are sent without a token.
type Transport struct {
	o      Options
	server *url.URL
	base   http.RoundTripper
	fetch  *fetcher
	turn   chan struct{} // held by the request that gets a token
	pace   pace          // used by that request

	mu     sync.Mutex
	now    *credentials // nil until the store was read
	logins int          // attempts to get a token
	failed error        // of the last one; nil if it succeeded
}

// New returns a transport for the MCP server at a URL.
func New(serverURL string, o Options) (*Transport, error) {
	u, err := url.Parse(serverURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("mcpauth: not an HTTP URL: %q", serverURL)
	}
	if u.User != nil {
		return nil, errors.New("mcpauth: the URL of a server has no user")
	}
	u.Fragment, u.RawFragment = "", ""
	o = o.withDefaults()
	t := &Transport{o: o, server: u, base: o.Base, turn: make(chan struct{}, 1), pace: pace{now: time.Now}}
	if t.base == nil {
		t.base = web.NewTransport()
	}
	t.fetch = newFetcher(u, &o)
	t.fetch.secrets.Add(string(o.Client.Secret))
	return t, nil
}

// Client returns an HTTP client that sends its requests by t, and follows redirects within the
// server only.
func (t *Transport) Client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: web.SameHost}
}

// CloseIdleConnections closes the connections that no request uses.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements [http.RoundTripper]. The error is an [*Error] if no token can be had.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if origin(r.URL) != origin(t.server) {
		return t.base.RoundTrip(r)
	}
	web.SecretsFrom(r.Context()).Include(t.fetch.secrets)
	with, err := t.credentials(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	const most = 5 // requests: without a token, with an old one, a refreshed one, a new one, one with more scopes
	more := false  // scopes were required
	for n := 1; ; n++ {
		resp, err := t.attempt(r, with, n > 1)
		if err != nil {
			return nil, err
		}
		c := challengeOf(resp)
		if c == nil || !repeatable(r) || r.Method == http.MethodDelete { // the end of a session is not worth a login
			return resp, nil
		}
		resp.Body.Close()
		switch {
		case n == most:
			return nil, t.fail("request to", ErrRejected)
		case c.forbids() && more:
			return nil, t.fail("request to", fmt.Errorf("%w, now %q", ErrScope, strings.Join(c.scopes, " ")))
		}
		more = more || c.forbids()
		if with, err = t.renew(r.Context(), with, c); err != nil {
			return nil, err
		}
	}
}

// attempt sends a request, twice if the server requires a nonce (RFC 9449 section 9).
func (t *Transport) attempt(r *http.Request, with *credentials, again bool) (*http.Response, error) {
	resp, err := t.send(r, with, again)
	if err != nil || !with.noted(r.URL, resp) || !repeatable(r) {
		return resp, err
	}
	resp.Body.Close()
	if resp, err = t.send(r, with, true); err == nil {
		with.noted(r.URL, resp)
	}
	return resp, err
}

// send sends a request with a token, if there is one.
func (t *Transport) send(r *http.Request, with *credentials, again bool) (*http.Response, error) {
	out := r.Clone(r.Context())
	if again && r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	if token := with.record.Token; token.Access != "" && secure(r.URL) {
		out.Header.Set("Authorization", token.Type+" "+string(token.Access))
		if with.proofs != nil {
			proof, err := with.proofs.proof(r.Method, r.URL, token.Access)
			if err != nil {
				closeBody(out)
				return nil, err
			}
			out.Header.Set("DPoP", proof)
		}
	}
	resp, err := t.base.RoundTrip(out)
	return resp, t.fetch.secrets.HideError(err)
}

// fail returns the error of a step at the MCP server.
func (t *Transport) fail(step string, err error) *Error {
	return t.fetch.fail(step, t.server.String(), err)
}

// repeatable reports whether a request can be sent again.
func repeatable(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// credentials returns what requests are authorized with now.
func (t *Transport) credentials(ctx context.Context) (*credentials, error) {
	t.mu.Lock()
	now := t.now
	t.mu.Unlock()
	if now != nil {
		return now, nil
	}
	now, err := t.load(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now == nil {
		t.now = now
	}
	return t.now, nil
}
