package mcpauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Loopback is an [Agent] that receives the redirect at a port of this machine, as long as a login
// lasts (RFC 8252 section 7.3).
type Loopback struct {
	// Open shows the page at a URL to the person, such as [OpenBrowser]. It must not wait for the
	// person.
	Open func(ctx context.Context, authorizationURL string) error

	// RedirectURI is the redirect URI of a client that was registered in advance, such as
	// http://localhost:3000/callback. A port of 0 means a free one. Empty means
	// http://127.0.0.1:0/callback.
	RedirectURI string
}

// Begin implements [Agent].
func (l *Loopback) Begin(ctx context.Context, registered string) (Visit, error) {
	if l.Open == nil {
		return nil, errNoBrowser
	}
	raw := cmp.Or(l.RedirectURI, "http://127.0.0.1:0/callback")
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) || u.Port() == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("mcpauth: %q is not a redirect URI with a port of this machine, such as http://localhost:3000/callback", raw)
	}
	listener, err := listen(ctx, u, registered)
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	u.Host = net.JoinHostPort(u.Hostname(), port)
	return &loopbackVisit{open: l.Open, uri: u, listener: listener, redirected: make(chan string, 1)}, nil
}

// listen listens at the port of a redirect URI. If any port will do, it tries the registered one
// first.
func listen(ctx context.Context, u *url.URL, registered string) (net.Listener, error) {
	var c net.ListenConfig
	if u.Port() == "0" {
		if known, err := url.Parse(registered); err == nil && known.Hostname() == u.Hostname() && known.Path == u.Path {
			if listener, err := c.Listen(ctx, "tcp", known.Host); err == nil {
				return listener, nil
			}
		}
	}
	return c.Listen(ctx, "tcp", u.Host)
}

// loopbackVisit is the [Visit] of a Loopback.
type loopbackVisit struct {
	open       func(ctx context.Context, authorizationURL string) error
	uri        *url.URL
	listener   net.Listener
	state      string      // of the login
	redirected chan string // the redirect
}

// RedirectURI implements [Visit].
func (v *loopbackVisit) RedirectURI() string { return v.uri.String() }

// Go implements [Visit].
func (v *loopbackVisit) Go(ctx context.Context, authorizationURL string) (string, error) {
	u, err := url.Parse(authorizationURL)
	if err != nil {
		return "", err
	}
	v.state = u.Query().Get("state")
	defer v.serve()()
	if err := v.open(ctx, authorizationURL); err != nil {
		return "", err
	}
	select {
	case redirected := <-v.redirected:
		return redirected, nil
	case <-ctx.Done():
		return "", fmt.Errorf("the browser has not come back: %w", ctx.Err())
	}
}

// serve waits for the redirect until the function that it returns is called.
func (v *loopbackVisit) serve() (stop func()) {
	const patience, farewell = 10 * time.Second, time.Second
	server := &http.Server{Handler: v, ReadTimeout: patience, WriteTimeout: patience, MaxHeaderBytes: 16 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(v.listener) // returns when the server is closed
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		server.Shutdown(ctx) // lets the page for the person be sent
		server.Close()
		<-done
	}
}

// Close implements [Visit].
func (v *loopbackVisit) Close() error { return v.listener.Close() }

// ServeHTTP takes the redirect of the login. Everything else is rejected without an effect: pages of
// other sites can send requests to this port, too.
func (v *loopbackVisit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	state := r.URL.Query().Get("state")
	switch {
	case r.Method != http.MethodGet || r.Host != v.uri.Host || r.URL.EscapedPath() != v.uri.EscapedPath():
		w.WriteHeader(http.StatusNotFound)
		return
	case subtle.ConstantTimeCompare([]byte(state), []byte(v.state)) != 1:
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, "This page does not belong to a login that waits.\n")
		return
	}
	redirected := *v.uri
	redirected.RawQuery = r.URL.RawQuery
	select {
	case v.redirected <- redirected.String():
		io.WriteString(w, "You can close this page and go back to the program.\n")
	default:
		w.WriteHeader(http.StatusConflict)
		io.WriteString(w, "This login was answered before.\n")
	}
}
