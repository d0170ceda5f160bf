package mcpclient

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpgen"
)

// Client is a connection to an MCP server. It may be used by many goroutines at once.
type Client struct {
	opts    Options
	log     *peerlog.Logger
	dial    Dialer
	conn    runtime.Conn // set before the first call
	handler Handler      // with the middleware around it

	speaks  atomic.Pointer[speech] // what calls are like
	tables  headerTables
	level   atomic.Int32 // of the messages that are wanted
	mirrors atomic.Bool  // the transport has asked for headers

	renewing sync.Mutex      // held while another session is begun
	ctx      context.Context // of what goes on beside calls
	end      context.CancelFunc

	mu       sync.Mutex
	closed   bool
	over     func()      // tells the user's code that the session is; nil: there is none, or nobody wants to know
	server   *ServerInfo // nil: it was not asked
	progress map[int64]func(context.Context, ProgressReport)
	listens  map[int64]*Subscription // of the stateless era, by the id of their request
	watches  map[*Subscription]bool  // of the handshake era
	watched  map[string]int          // how many of them watch a resource
	running  sync.WaitGroup          // goroutines; added to while it is not closed
}

// Connect connects to a server, and finds out which era of the protocol it speaks: unless the options say that, it is asked with
// server/discover, and sent initialize when it does not know of that (basic/versioning, Backward Compatibility). What it is stays for
// as long as the client; see [Client.Era].
func Connect(ctx context.Context, dial Dialer, o Options) (*Client, error) {
	o = o.withDefaults()
	c := &Client{
		opts: o, log: peerlog.For(o.Logger), dial: dial,
		progress: make(map[int64]func(context.Context, ProgressReport)), listens: make(map[int64]*Subscription),
		watches: make(map[*Subscription]bool), watched: make(map[string]int),
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.speaks.Store(new(speech)) // nothing yet; but a server may say something before it is asked
	c.handler = chain(c.transmit, o.Middleware)
	c.level.Store(int32(protocol.LevelOf(o.LogLevel)))
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// connect makes the connection, in place of the one before.
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

// Close ends the connection and everything that is in flight on it. The error is what closing the connection returns: for a program that was
// started, how it ended.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	err := c.hangUp()
	c.ended(runtime.ErrClosed)
	c.running.Wait()
	c.leaveSession()
	return err
}

// Era returns the era of the protocol that the server speaks. It is a property of the server: kept, it spares the next [Connect] to
// the same server the question.
func (c *Client) Era() mcp.Era { return mcp.EraOf(c.Revision()) }

// Revision returns the revision of the protocol that is spoken.
func (c *Client) Revision() string { return c.speaks.Load().revision }

// Mirror says which arguments of tools go into HTTP headers too; generated clients know. Of other tools it is learned from their list.
func (c *Client) Mirror(headers []mcpgen.ToolHeader) { c.tables.declare(headers) }
