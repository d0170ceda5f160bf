package mcphttp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ClientOptions are the limits and settings of [Dial]. The zero value selects the defaults.
type ClientOptions struct {
	// Runtime holds the limits of calls from the server. MaxMessage also limits the messages that are received; zero means 10 MiB.
	Runtime runtime.Options

	// HTTP sends the requests. Its Timeout should be 0, since it would cut off long calls and streams. Package mcpauth makes one that logs in. Nil means a
	// client that only this connection uses.
	HTTP *http.Client

	// Header is sent with every request.
	Header http.Header

	// Token returns the bearer token to send; empty means none. It is called for every request, so it should keep the token. If the server rejects the token,
	// Token is called again with the challenge of the server, and the request is repeated if Token returns another one. Nil means no token. [StaticToken]
	// returns a function for a token that never changes.
	Token func(ctx context.Context, refused *Challenge) (string, error)

	// Reconnects limits how many times in a row a session tries to resume the stream of a call that was cut, and to open its separate stream. Zero means 5.
	// The separate stream is resumed as long as the session lasts.
	Reconnects int

	// CloseTimeout is how long the notice of the end of a session, or of a cancelled call, may take. Zero means 5 seconds.
	CloseTimeout time.Duration
}

// StaticToken returns a [ClientOptions.Token] that always returns the same token.
func StaticToken(token string) func(context.Context, *Challenge) (string, error) {
	return func(context.Context, *Challenge) (string, error) { return token, nil }
}

// withDefaults returns o with every zero value replaced by its default.
func (o ClientOptions) withDefaults() ClientOptions {
	defaults.Set(&o.Runtime.MaxMessage, frame.DefaultMax)
	defaults.Set(&o.Runtime.MaxCalls, 256)
	defaults.Set(&o.Runtime.MaxNotifications, inorder.DefaultMost)
	defaults.Set(&o.Runtime.MaxBytes, inorder.DefaultHeld)
	defaults.Set(&o.Runtime.StallTimeout, inorder.DefaultPatience)
	defaults.Set(&o.Reconnects, 5)
	defaults.Set(&o.CloseTimeout, 5*time.Second)
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, slog.Default())
	o.Runtime.CallContext = true
	return o
}

// Dial returns a function that connects a client to the server at a URL. The function is an mcpclient.Dialer. Nothing is sent before the first message. The
// handler inbound serves messages from the server; a nil inbound serves none. Only Close ends the connection.
//
// The era of a message decides how it is sent. Stateless messages, according to mcpclient.HeadersFrom, are separate requests, and are cancelled by closing
// them. Other messages belong to the session that the server opens in answer to initialize. If the context of a call in a session ends, the server gets
// notifications/cancelled. After notifications/initialized, the client opens the separate stream for messages of the server, if the server has one. Streams
// that are cut are resumed.
func Dial(rawURL string, o ClientOptions) func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		u, err := parseURL(rawURL)
		if err != nil {
			return nil, err
		}
		return newClient(ctx, u.String(), inbound, o.withDefaults()), nil
	}
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = errors.New("mcphttp: not an HTTP URL: " + raw)
	}
	return u, err
}

// client is a connection to a server. It implements [runtime.Conn], [io.Closer], protocol.Canceller and mcpclient.CallCanceller.
type client struct {
	web.IDs
	o       ClientOptions
	url     string
	http    *http.Client
	own     *web.Transport // nil if the caller supplied the HTTP client
	log     *peerlog.Logger
	ctx     context.Context // of the connection
	end     context.CancelFunc
	closing func()              // called when the connection is closed; may be nil
	d       *runtime.Dispatcher // serves calls from the server
	places  chan struct{}       // holds a token for every call from the server
	secrets web.Secrets         // that were sent
	notes   inorder.Queue[note] // of the server
	held    memory.Account      // bytes of those
	latest  func(method string) bool
	over    func()                                      // called when the separate stream finds that the session is over; may be nil
	served  shared.Map[string, context.CancelCauseFunc] // calls from the server, by [runtime.ID.Key]

	mu      sync.Mutex
	running sync.WaitGroup // calls and goroutines; incremented only while the client is not closed
	closed  bool
	session string                // empty if there is none
	version string                // of the session's messages
	ear     *ear                  // the separate stream; nil if there is none
	calls   map[int64]*clientCall // that wait for a response
}

func newClient(ctx context.Context, url string, inbound runtime.Handler, o ClientOptions) *client {
	c := &client{
		o: o, url: url, http: o.HTTP, log: peerlog.For(o.Runtime.Logger), places: make(chan struct{}, o.Runtime.MaxCalls),
		calls: make(map[int64]*clientCall),
	}
	c.secrets.AddHeader(o.Header)
	c.ctx, c.end = context.WithCancel(context.WithoutCancel(ctx))
	if c.http == nil {
		c.own = web.NewTransport()
		c.http = &http.Client{Transport: c.own, CheckRedirect: web.SameHost}
	}
	if inbound != nil {
		if open := inbound.Hooks().Open; open != nil {
			inbound = open(c)
		}
	}
	if inbound != nil {
		hooks := inbound.Hooks()
		c.closing, c.latest = hooks.Closed, hooks.Latest
	}
	if w, ok := inbound.(protocol.SessionWatcher); ok {
		c.over = w.SessionOver
	}
	c.held.Init(int64(c.o.Runtime.MaxBytes), nil)
	c.d = runtime.NewDispatcher(inbound, o.Runtime)
	return c
}

// CancelsCalls reports that this connection notifies the server of cancelled calls by itself.
func (*client) CancelsCalls() bool { return true }

// CallBatch implements [runtime.Conn]. Only one revision has batches, so they are not sent.
func (*client) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errors.New("mcphttp: batches are not part of the protocol")
}

// enter counts something that Close waits for. It reports false if the connection is closed.
func (c *client) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.running.Add(1)
	}
	return !c.closed
}

// start runs f in a goroutine that Close waits for. It reports false if the connection is closed.
func (c *client) start(f func()) bool {
	if !c.enter() {
		return false
	}
	go func() {
		defer c.running.Done()
		f()
	}()
	return true
}

// Close cancels everything in flight, waits for it, and notifies the server of the end of the session. Handlers of messages from the server must not call it.
func (c *client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		c.running.Wait()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	if c.session != "" {
		c.deleteSession(c.session)
	}
	if c.closing != nil {
		c.closing()
	}
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// deleteSession notifies the server of the end of a session, again if it is not available at present: it would keep the session. The server may refuse
// that (2025-11-25, basic/transports, Session Management).
func (c *client) deleteSession(id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), c.o.CloseTimeout)
	defer cancel()
	for wait := 200 * time.Millisecond; ; wait *= 2 {
		resp, err := c.do(ctx, http.MethodDelete, nil, http.Header{headerSession: {id}})
		if err != nil {
			c.log.Debug("the end of a session could not be sent", "error", err)
			return
		}
		web.Discard(resp)
		if again := retryAfter(resp); again < 0 || web.Sleep(ctx, max(wait, again)) != nil {
			return
		}
	}
}

// Cancel cancels a call from the server.
func (c *client) Cancel(id runtime.ID, cause error) bool {
	cancel := c.served.Get(id.Key())
	if cancel != nil {
		cancel(cause)
	}
	return cancel != nil
}

// clientCall is an own call that waits for its response.
type clientCall struct {
	cancel context.CancelFunc // cancels its HTTP request

	// The client's lock guards the following fields.
	response   []byte // that arrived on another stream
	unanswered error  // why a question of the server on the stream of the call could not be answered
}

// expect registers a call.
func (c *client) expect(id int64, cancel context.CancelFunc) *clientCall {
	call := &clientCall{cancel: cancel}
	c.mu.Lock()
	c.calls[id] = call
	c.mu.Unlock()
	return call
}

// forget removes a call, and returns the response that has arrived for it on another stream, or why a question could not be answered.
func (c *client) forget(id int64, call *clientCall) (response []byte, unanswered error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
	return call.response, call.unanswered
}

// fail ends a call: the server waits for the answer to a question that could not be sent.
func (c *client) fail(id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.calls[id]; call != nil {
		call.unanswered = err
		call.cancel()
	}
}

// deliver passes a response that arrived on some stream to the call that waits for it.
func (c *client) deliver(msg []byte) {
	sent := wire.PeekAt(msg).In("id")
	id, ok := sent.Int64()
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.calls[id]
	switch {
	case ok && call != nil:
	case ok && c.Reserved(id):
		c.log.Debug("a response to a call that has ended was dropped", "id", id)
		return
	default:
		c.log.Warn("a response without a request was dropped", "id", string(sent.JSON()))
		return
	}
	call.response = msg
	call.cancel()
}

// calling reports whether a message has the id of an own call.
func (c *client) calling(msg []byte) bool {
	id, ok := wire.PeekAt(msg).In("id").Int64()
	c.mu.Lock()
	defer c.mu.Unlock()
	return ok && c.calls[id] != nil
}

// stateless reports whether a message belongs to the stateless era.
func stateless(headers []protocol.Header) bool {
	for _, h := range headers {
		if http.CanonicalHeaderKey(h.Name) == headerVersion {
			return protocol.Of(h.Value).Era == mcp.Stateless
		}
	}
	return false
}
