package mcpclient

import (
	"context"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// note handles a notification.
func (h *inbound) note(ctx context.Context, call *runtime.Call) {
	p := call.PeekParams()
	if !call.NoParams() {
		return
	}
	c := h.client
	switch call.Method() {
	case "notifications/progress":
		h.passProgress(ctx, p)
	case "notifications/message":
		h.passLog(ctx, p)
	case "notifications/tools/list_changed":
		h.listChanged(ctx, p, ListOfTools)
	case "notifications/prompts/list_changed":
		h.listChanged(ctx, p, ListOfPrompts)
	case "notifications/resources/list_changed":
		h.listChanged(ctx, p, ListOfResources)
	case "notifications/resources/updated":
		h.passUpdate(ctx, p)
	case "notifications/tasks/status":
		c.polls.wakeTask(p)
	case "notifications/subscriptions/acknowledged":
		h.handleAcknowledgement(p)
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
		h.endSubscription(id)
		return
	}
	if h.canceller != nil {
		reason, _ := p.In("reason").Text()
		h.canceller.Cancel(id, &mcp.CancelledError{Reason: reason})
	}
}

// endSubscription ends a subscription that the server has ended.
func (h *inbound) endSubscription(id wire.ID) {
	if s := h.client.subscriptions.of(id); s != nil {
		s.end(nil)
		s.cancel()
	}
}

// passProgress passes a progress notification to all that wait for what it is about.
func (h *inbound) passProgress(ctx context.Context, p wire.Peek) {
	id, _ := wire.ParseID(p.In("progressToken").JSON())
	n, ok := id.Int64()
	reports := h.client.progress.of(n)
	if !ok || reports == nil {
		h.client.log.Debug("progress without a call was dropped")
		return
	}
	update := ProgressReport{Done: number(p.In("progress")), Total: number(p.In("total"))}
	update.Message, _ = p.In("message").Text()
	for _, report := range reports {
		(*report)(ctx, update)
	}
}

// number returns the number at p, or 0 if there is none.
func number(p wire.Peek) float64 {
	f, _ := wire.Number(p.JSON()).Float64()
	return f
}

// passLog passes a log message to Options.OnLog.
func (h *inbound) passLog(ctx context.Context, p wire.Peek) {
	f := h.client.opts.OnLog
	if f == nil {
		return
	}
	var m LogMessage
	m.Level, _ = p.In("level").Text()
	m.Logger, _ = p.In("logger").Text()
	m.Data, _ = wire.ParseRaw(p.In("data").JSON())
	f(ctx, m)
}

// handleAcknowledgement handles the acknowledgement of a subscription.
func (h *inbound) handleAcknowledgement(p wire.Peek) {
	s := h.client.subscriptions.byTag(p)
	if s == nil {
		return
	}
	var f protocol.Filter
	if text := p.In("notifications").JSON(); text == nil || wire.Unmarshal(text, f.DecodeJSON, nil) != nil {
		h.client.log.Warn("the server acknowledged a subscription without naming it")
	}
	agreed := Changes{f.Lists.Tools, f.Lists.Prompts, f.Lists.Resources, slices.Clone(f.URIs)}
	select {
	case s.acked <- agreed:
	default: // acknowledged before
	}
}

// expected reports whether the client has subscribed to a change. A stateless server must not send
// any other.
func (h *inbound) expected(p wire.Peek) bool {
	if h.client.Era() == mcp.Handshake || h.client.subscriptions.byTag(p) != nil {
		return true
	}
	h.client.log.Debug("a change was dropped: there is no subscriber")
	return false
}

// listChanged calls Options.OnListChanged.
func (h *inbound) listChanged(ctx context.Context, p wire.Peek, list List) {
	h.client.kept.dropList(list)
	if h.expected(p) {
		h.client.listChanged(ctx, list)
	}
}

// listChanged forgets a list, and calls Options.OnListChanged.
func (c *Client) listChanged(ctx context.Context, list List) {
	c.kept.dropList(list)
	if c.opts.OnListChanged != nil {
		c.opts.OnListChanged(ctx, list)
	}
}

// passUpdate calls Options.OnResourceUpdated.
func (h *inbound) passUpdate(ctx context.Context, p wire.Peek) {
	uri, ok := p.In("uri").Text()
	if !ok {
		return
	}
	h.client.kept.forget("resources/read", uri)
	if h.expected(p) && h.client.opts.OnResourceUpdated != nil {
		h.client.opts.OnResourceUpdated(ctx, uri)
	}
}
