package mcp

import (
	"context"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// serveListen serves subscriptions/listen (basic/patterns/subscriptions): it acknowledges, tells what changes, and answers when the
// server ends. It is cancelled like any other request.
func serveListen(ctx context.Context, q *Request) error {
	var f protocol.Filter
	if size, most := len(q.call.PeekParams().JSON()), q.server.opts.MaxSubscriptionBytes; size > most {
		return tooLongToKeep(size, most)
	}
	if err := q.decode(func(r *wire.Reader) { f = readListen(r) }); err != nil {
		return err
	}
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return &fault{runtime.CodeInternalError, 0, "This connection carries no notifications", nil}
	}
	s := q.server
	s.agree(&f)
	id := runtime.RequestIDFrom(ctx)
	if id.IsZero() {
		id = q.call.ID()
	}
	tag := wire.AppendID([]byte(`"_meta":{"`+protocol.MetaSubscription+`":`), id)
	tag = append(tag, '}')
	if !s.hub.enter() {
		return &fault{CodeOverloaded, 503, "The server is shutting down", nil}
	}
	defer s.hub.running.Done()
	if err := s.hub.hear(ctx, q.ended, conn, tag, &f); err != nil {
		return err
	}
	if headersFrom(ctx) == nil { // where the end of the response is not the end of a stream of its own
		if err := conn.Notify(ctx, terminated(tag, id)); err != nil {
			return err
		}
	}
	b := append(q.call.Result(), `{"resultType":"complete","_meta":{"`+protocol.MetaSubscription+`":`...)
	b = wire.AppendID(b, id)
	if !s.opts.Anonymous {
		b = append(append(b, `,"`+protocol.MetaServerInfo+`":`...), s.implementation...)
	}
	q.call.Return(append(b, "}}"...))
	return nil
}

// tooLongToKeep refuses params that would be kept as long as the client listens.
func tooLongToKeep(size, most int) error {
	v := rule.Violation{Rule: "maxLength", Expected: "params of at most " + strconv.Itoa(most) + " bytes", Got: strconv.Itoa(size) + " bytes"}
	return runtime.InvalidParams([]rule.Violation{v}, 0)
}

// hear acknowledges a subscription, and tells of changes until the hub ends, or the session's input or ctx does. What changes while it is acknowledged is told
// behind that.
func (h *hub) hear(ctx context.Context, ended <-chan struct{}, conn runtime.Conn, tag []byte, f *protocol.Filter) error {
	l := newListener(conn, tag)
	l.wants, l.busy = f.Lists, true
	for _, uri := range f.URIs {
		l.uris[uri] = false
	}
	h.add(l)
	defer h.remove(l)
	if err := conn.Notify(ctx, acknowledge(f, tag)); err != nil {
		return err
	}
	l.send()
	select {
	case <-ctx.Done():
		l.cancel()
	case <-h.closing:
	case <-ended:
	}
	l.quiet()
	return l.ctx.Err()
}

// terminated returns the message that ends a subscription where it shares its stream (basic/patterns/cancellation).
func terminated(tag []byte, id wire.ID) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{`...)
	b = wire.AppendID(append(append(b, tag...), `,"requestId":`...), id)
	return append(b, "}}"...)
}

// readListen reads the params.
func readListen(r *wire.Reader) (f protocol.Filter) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"notifications":`) {
			f.DecodeJSON(r)
		}
	}
	r.Need(&o, 1, "notifications")
	return f
}

// agree leaves of f what the server tells of.
func (s *Server) agree(f *protocol.Filter) {
	f.Lists = f.Lists.And(protocol.Lists{Tools: hasTools(s), Prompts: hasPrompts(s), Resources: hasResources(s)})
	if !canSubscribe(s) {
		f.URIs = nil
	}
	slices.Sort(f.URIs)
	f.URIs = slices.Compact(f.URIs)
	f.URIs = f.URIs[:min(len(f.URIs), s.opts.MaxSubscriptions)]
}

// acknowledge returns the first message of a subscription, which says what it is about.
func acknowledge(f *protocol.Filter, tag []byte) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`...)
	b = append(append(b, tag...), `,"notifications":`...)
	return append(f.AppendJSON(b), "}}"...)
}
