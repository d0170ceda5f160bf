package mcpclient

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Client is a connection to an MCP server. It is safe for concurrent use.
type Client struct {
	opts    Options
	log     *peerlog.Logger
	dial    Dialer
	conn    runtime.Conn // set before the first call
	handler Handler      // with the middleware around it

	negotiated atomic.Pointer[negotiation] // the revision of new requests
	tables     headerTables
	kept       results
	level      atomic.Int32 // of the log messages that are wanted
	mirrors    atomic.Bool  // the transport has asked for headers

	server     atomic.Pointer[ServerInfo] // nil until the server was asked
	renewing   sync.Mutex                 // held while a new session is begun
	unfinished atomic.Bool                // that has failed the last time

	// parts with a lock each; none takes the lock of another
	life          lifetime
	progress      progressTable
	subscriptions subscriptions
	polls         taskPolls
}

// Connect connects to a server and determines the era of the protocol that it serves. Unless the
// options name the era, the server is asked with server/discover, and gets an initialize request if
// it does not support that (basic/versioning, Backward Compatibility). The era does not change
// during the lifetime of the client, see [Client.Era].
func Connect(ctx context.Context, dial Dialer, o Options) (*Client, error) {
	o = o.withDefaults()
	if err := o.checkExtensions(); err != nil {
		return nil, err
	}
	c := &Client{
		opts: o, log: peerlog.For(o.Logger), dial: dial,
		progress:      progressTable{byID: make(map[int64]map[*progressFunc]int)},
		subscriptions: subscriptions{watches: make(map[*Subscription]bool), watched: make(map[string]int)},
		polls:         taskPolls{byID: make(map[string][]chan struct{})},
	}
	c.life.ctx, c.life.end = context.WithCancel(context.Background())
	c.negotiated.Store(new(negotiation)) // empty, because a server may send messages first
	c.handler = c.kept.around(c.transmit, o.CacheBytes)
	for _, m := range slices.Backward(o.Middleware) { // the first one is outermost
		c.handler = m(c.handler)
	}
	c.level.Store(int32(protocol.LevelOf(o.LogLevel)))
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// connect makes the connection. It replaces the previous one.
func (c *Client) connect(ctx context.Context) error {
	conn, err := c.dial(ctx, &inbound{client: c})
	if err != nil {
		return err
	}
	c.conn = conn
	return nil
}

// hangUp closes the connection, if there is one.
func (c *Client) hangUp() error {
	if closer, ok := c.conn.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Close closes the connection and ends everything in flight on it. The error is that of closing the
// connection: for a program that was started, how it exited.
func (c *Client) Close() error {
	c.life.close()
	err := c.hangUp()
	c.subscriptions.end(runtime.ErrClosed)
	c.life.running.Wait()
	c.life.leave()
	return err
}

// Era returns the era of the protocol that the server serves. It is a property of the server: if
// you store it in [Options.Era], the next [Connect] to the same server saves a round trip.
func (c *Client) Era() mcp.Era { return protocol.Of(c.Revision()).Era }

// Revision returns the protocol revision of requests.
func (c *Client) Revision() string { return c.negotiated.Load().revision }

// Mirror sets which arguments of tools are mirrored into HTTP headers. Generated clients call it.
// For other tools, the client learns that from their list.
func (c *Client) Mirror(headers []mcpgen.ToolHeader) { c.tables.declare(headers) }
