package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ClientOptions are the limits and habits of [Dial]. The zero value is good for most.
type ClientOptions struct {
	// Runtime holds the limits of what the server calls. MaxMessage is also the limit of what it sends: zero means 10 MiB.
	Runtime runtime.Options

	// HTTP sends the requests; a Timeout of it would cut long calls and streams. Nil means one that the connection has to
	// itself.
	HTTP *http.Client

	// Header is sent with every request.
	Header http.Header

	// Token returns the bearer token to send; empty: none. It is called for every request, so it keeps what it has got.
	// After the server has refused a token, it is called once more with what the server said of it, and the request is
	// sent again unless it fails. Nil: there are no tokens.
	Token func(ctx context.Context, refused *Challenge) (string, error)

	// Reconnects is how many times in a row a session tries to go on with a stream that was cut, before it gives up. Zero
	// means 5.
	Reconnects int

	// CloseTimeout is how long the server may take to hear of the end of a session, or of a call that was given up. Zero
	// means 5 seconds.
	CloseTimeout time.Duration
}

// withDefaults returns o with the zero values replaced.
func (o ClientOptions) withDefaults() ClientOptions {
	setDefault(&o.Runtime.MaxMessage, frame.DefaultMax)
	setDefault(&o.Runtime.MaxCalls, 256)
	setDefault(&o.Reconnects, 5)
	setDefault(&o.CloseTimeout, 5*time.Second)
	if o.Runtime.Logger == nil {
		o.Runtime.Logger = slog.Default()
	}
	o.Runtime.CallContext = true
	return o
}

// Dial returns how a client reaches the server at a URL; it is an mcpclient.Dialer. Nothing is sent before the first message. Inbound serves what the server
// sends; nil serves nothing. The connection ends with Close alone.
//
// The connection speaks the era of its messages: those that mcpclient.HeadersFrom says are stateless are requests of their own, which are
// cancelled by closing them; others belong to the session that the server opens in answer to initialize. When the context of a
// call in a session ends, the server is sent notifications/cancelled. Once notifications/initialized is sent, the stream for
// messages beside calls is opened, if the server has one; streams that are cut go on where they were.
func Dial(rawURL string, o ClientOptions) func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		u, err := url.Parse(rawURL)
		if err != nil {
			return nil, err
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, errors.New("mcphttp: not an HTTP URL: " + rawURL)
		}
		return newClient(ctx, u.String(), inbound, o.withDefaults()), nil
	}
}

// client is a connection to a server. It implements [runtime.Conn], [io.Closer], protocol.Canceller and mcpclient.CallCanceller.
type client struct {
	o       ClientOptions
	url     string
	http    *http.Client
	own     *http.Transport // nil: it is the user's
	log     *peerlog.Logger
	ctx     context.Context // of the connection
	end     context.CancelFunc
	closing func()              // called when the connection is closed; nil: nothing is
	d       *runtime.Dispatcher // of what the server sends
	places  chan struct{}       // holds a token for every call of the server
	lastID  atomic.Int64
	order   sync.Mutex // of the server's notifications

	mu      sync.Mutex
	running sync.WaitGroup // calls and goroutines; added to while it is not closed
	closed  bool
	session string                             // empty: there is none
	version string                             // of the session's messages
	listens bool                               // for what is beside calls
	calls   map[int64]*clientCall              // that wait for a response
	served  map[string]context.CancelCauseFunc // calls of the server, by the text of their id
}

func newClient(ctx context.Context, url string, inbound runtime.Handler, o ClientOptions) *client {
	c := &client{
		o: o, url: url, http: o.HTTP, log: peerlog.For(o.Runtime.Logger), places: make(chan struct{}, o.Runtime.MaxCalls),
		calls: make(map[int64]*clientCall), served: make(map[string]context.CancelCauseFunc),
	}
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
		c.closing = inbound.Hooks().Closed
	}
	c.d = runtime.NewDispatcher(inbound, o.Runtime)
	return c
}

// NextID implements [runtime.Conn].
func (c *client) NextID(n int) (int64, error) {
	last := c.lastID.Add(int64(n))
	if last >= maxID {
		return 0, runtime.ErrIDsExhausted
	}
	return last - int64(n) + 1, nil
}

// CancelsCalls tells that the server hears of calls that are given up without the help of the mcp client.
func (*client) CancelsCalls() bool { return true }

// CallBatch implements [runtime.Conn]; but one revision has none, so batches are not sent.
func (*client) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errors.New("mcphttp: batches are not part of the protocol")
}

// enter counts what Close waits for. False: the connection is closed.
func (c *client) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.running.Add(1)
	}
	return !c.closed
}

// start runs f in a goroutine that Close waits for. False: the connection is closed.
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

// Close ends everything that is in flight, waits for it, and tells the server that the session is over. Handlers of what the server sends
// do not call it.
func (c *client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		c.running.Wait()
		return nil
	}
	c.closed = true
	session := c.session
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	if session != "" {
		c.deleteSession()
	}
	if c.closing != nil {
		c.closing()
	}
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// deleteSession tells the server that the session is over. It may not want to know.
func (c *client) deleteSession() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), c.o.CloseTimeout)
	defer cancel()
	resp, err := c.do(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		c.log.Debug("the end of a session could not be sent", "error", err)
		return
	}
	web.Discard(resp)
}

// Cancel cancels a call of the server.
func (c *client) Cancel(id runtime.ID, cause error) bool {
	c.mu.Lock()
	cancel := c.served[id.String()]
	c.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
	return cancel != nil
}

// clientCall is an own call that waits for its response.
type clientCall struct {
	cancel   context.CancelFunc // of its HTTP request
	response []byte             // that came on another stream; the client's lock is held for it
}

// expect lists a call.
func (c *client) expect(id int64, cancel context.CancelFunc) *clientCall {
	call := &clientCall{cancel: cancel}
	c.mu.Lock()
	c.calls[id] = call
	c.mu.Unlock()
	return call
}

// forget takes a call off the list, and returns what came for it on another stream.
func (c *client) forget(id int64, call *clientCall) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
	return call.response
}

// deliver gives a response that came on some stream to the call that waits for it.
func (c *client) deliver(msg []byte) {
	id, err := strconv.ParseInt(string(wire.PeekAt(msg).In("id").JSON()), 10, 64)
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.calls[id]
	if err != nil || call == nil {
		c.log.Debug("a response without a request was dropped")
		return
	}
	call.response = msg
	call.cancel()
}

// stateless reports whether a message is one of the stateless era.
func stateless(headers []protocol.Header) bool {
	for _, h := range headers {
		if http.CanonicalHeaderKey(h.Name) == headerVersion {
			return mcp.EraOf(h.Value) == mcp.Stateless
		}
	}
	return false
}
