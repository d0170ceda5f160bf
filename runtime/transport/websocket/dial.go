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

// HandshakeError says that a server did not make the connection one of WebSocket.
type HandshakeError struct {
	Status int            // of HTTP
	Err    *runtime.Error // error in the body; may be nil
	What   string         // what is wrong with the answer, when there was no such error
}

func (e *HandshakeError) Error() string {
	text := fmt.Sprintf("websocket: the server answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text + ": " + e.What
}

// Unwrap returns the error that came in the body, if any.
func (e *HandshakeError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// Dial connects to a URL, such as ws://localhost:8080/ws, or wss://rpc.example.com/ws over TLS. H serves the calls that the server makes; nil
// serves none. Ctx ends connecting and, later, the session. A server that refuses is a [*HandshakeError].
func Dial(ctx context.Context, rawURL string, h runtime.Handler, o ClientOptions) (*runtime.Session, error) {
	o = o.withDefaults()
	c, err := connect(ctx, rawURL, o)
	if err != nil {
		return nil, err
	}
	return runtime.NewSession(ctx, c, h, o.Runtime), nil
}

// connect makes a connection for [Dial].
func connect(ctx context.Context, rawURL string, o ClientOptions) (*conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return nil, errors.New("websocket: " + u.Redacted() + " is no URL of a WebSocket server: it begins with ws:// or wss://")
	}
	var below *wire
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: o.TLS, TLSHandshakeTimeout: 10 * time.Second,
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
		HTTPClient: &http.Client{Transport: transport, CheckRedirect: noRedirect}, HTTPHeader: o.Header, Subprotocols: o.Subprotocols,
	})
	if err != nil {
		return nil, refused(ctx, resp, err)
	}
	if p := ws.Subprotocol(); len(o.Subprotocols) > 0 && !slices.ContainsFunc(o.Subprotocols, func(s string) bool { return strings.EqualFold(s, p) }) {
		below.end()
		ws.Close(websocket.StatusProtocolError, "no sub-protocol was chosen")
		return nil, &HandshakeError{Status: resp.StatusCode, What: "it chose none of the sub-protocols " + strings.Join(o.Subprotocols, ", ")}
	}
	return newConn(ws, below, settings{o.MaxMessage, o.PingInterval, o.PingTimeout, o.MessageTimeout, nil, 0}), nil
}

// noRedirect keeps the handshake and its headers from being sent on to another server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// refused returns what a handshake has failed with.
func refused(ctx context.Context, resp *http.Response, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case resp == nil:
		return err
	}
	body, _ := io.ReadAll(resp.Body) // at most 1 KiB, in memory
	return &HandshakeError{Status: resp.StatusCode, Err: web.ErrorWithoutID(body), What: err.Error()}
}
