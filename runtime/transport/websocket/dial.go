package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// HandshakeError means that the server rejected the WebSocket handshake.
type HandshakeError struct {
	Status int            // HTTP status
	Err    *runtime.Error // error in the body; may be nil
	What   string         // what is wrong with the response if there is no such error
}

func (e *HandshakeError) Error() string {
	text := fmt.Sprintf("websocket: the server answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text + ": " + e.What
}

// Unwrap returns the error in the body, or nil.
func (e *HandshakeError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// Dial connects to a URL, such as ws://localhost:8080/ws, or wss://rpc.example.com/ws over TLS. The
// handler h serves the calls of the server; a nil h serves none. The end of ctx ends the attempt to
// connect and, later, the session. If the server rejects the handshake, the error is a
// [*HandshakeError].
func Dial(ctx context.Context, rawURL string, h runtime.Handler, o ClientOptions) (*runtime.Session, error) {
	o = o.withDefaults()
	c, err := connect(ctx, rawURL, o)
	if err != nil {
		return nil, err
	}
	return runtime.NewSession(ctx, c, h, o.Runtime), nil
}

// connect opens a connection for [Dial].
func connect(ctx context.Context, rawURL string, o ClientOptions) (*conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return nil, errors.New("websocket: " + u.Redacted() + " is not a URL of a WebSocket server: it begins with ws:// or wss://")
	}
	secrets := new(web.Secrets)
	secrets.AddHeader(o.Header)
	var below *wire
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: o.TLS, TLSHandshakeTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: web.MaxHeaderBytes,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			below = &wire{Conn: c, write: o.WriteTimeout}
			return below, nil
		},
	}
	defer transport.CloseIdleConnections()
	ws, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: frameTransport{transport}, CheckRedirect: noRedirect}, HTTPHeader: o.Header, Subprotocols: o.Subprotocols,
	})
	if err != nil {
		return nil, handshakeError(ctx, resp, secrets, err)
	}
	if p := ws.Subprotocol(); len(o.Subprotocols) > 0 && !slices.ContainsFunc(o.Subprotocols, func(s string) bool { return strings.EqualFold(s, p) }) {
		below.end()
		ws.Close(websocket.StatusProtocolError, "no sub-protocol was chosen")
		return nil, &HandshakeError{Status: resp.StatusCode, What: "it chose none of the sub-protocols " + strings.Join(o.Subprotocols, ", ")}
	}
	c := newConn(ws, below, settings{o.MaxMessage, o.PingInterval, o.PingTimeout, o.MessageTimeout, nil, 0})
	c.secrets = secrets
	return c, nil
}

// noRedirect prevents that the handshake and its headers are sent to another server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// handshakeError returns the error for a handshake that failed.
func handshakeError(ctx context.Context, resp *http.Response, secrets *web.Secrets, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case resp == nil:
		return secrets.HideError(err)
	}
	body, _ := io.ReadAll(resp.Body) // at most 1 KiB, in memory
	return &HandshakeError{Status: resp.StatusCode, Err: web.ErrorWithoutID(secrets.HideErrors(body)), What: secrets.Hide(err.Error())}
}
