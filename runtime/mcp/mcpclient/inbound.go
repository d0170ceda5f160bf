package mcpclient

import (
	"context"
	"errors"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// inbound serves the messages that the server sends on one connection. It implements
// [runtime.Handler].
type inbound struct {
	client    *Client
	canceller protocol.Canceller // nil if requests of the server cannot be cancelled
}

// Hooks implements [runtime.Handler].
func (h *inbound) Hooks() runtime.Hooks {
	return runtime.Hooks{
		Open: func(conn runtime.Conn) runtime.Handler {
			h.canceller, _ = conn.(protocol.Canceller)
			return h
		},
		Closed:     func() { h.client.subscriptions.end(runtime.ErrClosed) },
		AllowBatch: func() bool { return protocol.Of(h.client.Revision()).Batches },
		Latest: func(method string) bool {
			return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
		},
	}
}

// Protocol implements [runtime.Handler].
func (h *inbound) Protocol() runtime.Protocol {
	return runtime.Protocol{Name: "MCP client", OmitID: true}
}

// Condition implements [runtime.Handler].
func (h *inbound) Condition(runtime.Condition) error { return nil }

// Handle implements [runtime.Handler].
func (h *inbound) Handle(ctx context.Context, c *runtime.Call) {
	if c.IsNotification() {
		h.note(ctx, c)
		c.ReturnEmpty()
		return
	}
	if h.client.Era() == mcp.Stateless {
		h.client.log.Warn("a request from a stateless server was dropped: they send none", "method", c.Method())
		c.NoParams()
		c.Drop()
		return
	}
	h.request(ctx, c)
}

// request answers a request of a server of the handshake era.
func (h *inbound) request(ctx context.Context, c *runtime.Call) {
	params := wire.RawOf([]byte("{}"))
	for c.OptionalParams("") {
		params = c.Reader().Raw()
	}
	switch {
	case c.Answered():
		return
	case c.Method() == "ping":
		c.ReturnEmpty()
		return
	}
	b, err := h.client.opts.answer(ctx, c.Result(), Question{Method: c.Method(), Params: params})
	switch {
	case err == nil:
		c.Return(b)
	case err == errNotAsked:
		c.MethodNotFound("ping\nelicitation/create\nsampling/createMessage\nroots/list")
	case isCancelled(ctx):
		c.Drop()
	default:
		c.Fail(err)
	}
}

// isCancelled reports whether the server has cancelled the request that ctx belongs to.
func isCancelled(ctx context.Context) bool {
	_, ok := errors.AsType[*mcp.CancelledError](context.Cause(ctx))
	return ok
}
