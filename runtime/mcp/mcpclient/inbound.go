package mcpclient

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// inbound serves the messages that the server sends on one connection. It implements
// [runtime.Handler].
type inbound struct {
	client    *Client
	canceller protocol.Canceller // nil if requests of the server cannot be cancelled
}

// Hooks implements [runtime.Handler].
func (h *inbound) Hooks() runtime.Hooks {
	return runtime.Hooks{Open: h.open, Closed: h.closed, AllowBatch: h.allowBatch}
}

// open takes over the connection.
func (h *inbound) open(conn runtime.Conn) runtime.Handler {
	h.canceller, _ = conn.(protocol.Canceller)
	return h
}

// closed ends the subscriptions when the connection is closed.
func (h *inbound) closed() { h.client.ended(runtime.ErrClosed) }

// Protocol implements [runtime.Handler].
func (h *inbound) Protocol() runtime.Protocol {
	return runtime.Protocol{Name: "MCP client", OmitID: true}
}

// allowBatch reports whether the server may send batches, which only one revision allows.
func (h *inbound) allowBatch() bool { return h.client.Revision() == mcp.Revision20250326 }

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
	b, err := h.client.answer(ctx, c.Result(), Question{Method: c.Method(), Params: params})
	switch {
	case err == nil:
		c.Return(b)
	case err == errNotAsked:
		c.MethodNotFound("ping\nelicitation/create\nsampling/createMessage\nroots/list")
	case cancelled(ctx):
		c.Drop()
	default:
		c.Fail(err)
	}
}

// cancelled reports whether the server has cancelled the request that ctx belongs to.
func cancelled(ctx context.Context) bool {
	_, ok := errors.AsType[*mcp.CancelledError](context.Cause(ctx))
	return ok
}

// note handles a notification.
func (h *inbound) note(ctx context.Context, call *runtime.Call) {
	p := call.PeekParams()
	if !call.NoParams() {
		return
	}
	c := h.client
	switch call.Method() {
	case "notifications/progress":
		c.progressed(ctx, p)
	case "notifications/message":
		c.logged(ctx, p)
	case "notifications/tools/list_changed":
		c.listChanged(ctx, p, ListOfTools)
	case "notifications/prompts/list_changed":
		c.listChanged(ctx, p, ListOfPrompts)
	case "notifications/resources/list_changed":
		c.listChanged(ctx, p, ListOfResources)
	case "notifications/resources/updated":
		c.updated(ctx, p)
	case "notifications/tasks/status":
		c.taskChanged(p)
	case "notifications/subscriptions/acknowledged":
		c.acknowledged(p)
	case "notifications/elicitation/complete":
		if id, ok := p.In("elicitationId").Text(); ok && c.opts.OnElicitationComplete != nil {
			c.opts.OnElicitationComplete(ctx, id)
		}
	case "notifications/cancelled":
		h.cancel(p)
	default:
		c.log.Debug("a notification was ignored", "method", call.Method())
	}
}

// cancel cancels a request of the server, or ends a subscription of a stateless server.
func (h *inbound) cancel(p wire.Peek) {
	id, ok := wire.ParseID(p.In("requestId").JSON())
	if !ok {
		return
	}
	if h.client.Era() == mcp.Stateless {
		h.client.terminated(id)
		return
	}
	if h.canceller != nil {
		reason, _ := p.In("reason").Text()
		h.canceller.Cancel(id, &mcp.CancelledError{Reason: reason})
	}
}

// progressed passes a progress notification to the call that it belongs to.
func (c *Client) progressed(ctx context.Context, p wire.Peek) {
	id, _ := wire.ParseID(p.In("progressToken").JSON())
	n, ok := id.Int64()
	c.mu.Lock()
	report := c.progress[n]
	c.mu.Unlock()
	if !ok || report == nil {
		c.log.Debug("progress without a call was dropped")
		return
	}
	update := ProgressReport{Done: number(p.In("progress")), Total: number(p.In("total"))}
	update.Message, _ = p.In("message").Text()
	report(ctx, update)
}

// number returns the number at p, or 0 if there is none.
func number(p wire.Peek) float64 {
	f, _ := wire.Number(p.JSON()).Float64()
	return f
}

// logged passes a log message to Options.OnLog.
func (c *Client) logged(ctx context.Context, p wire.Peek) {
	if c.opts.OnLog == nil {
		return
	}
	var m LogMessage
	m.Level, _ = p.In("level").Text()
	m.Logger, _ = p.In("logger").Text()
	m.Data, _ = wire.ParseRaw(p.In("data").JSON())
	c.opts.OnLog(ctx, m)
}
