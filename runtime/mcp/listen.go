package mcp

import (
	"context"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// serveListen serves subscriptions/listen (basic/patterns/subscriptions): it acknowledges the
// subscription, sends notifications of changes, and answers when the server shuts down. The client
// can cancel it like any other request.
func serveListen(ctx context.Context, q *Request) error {
	var f protocol.Filter
	if size, most := len(q.call.PeekParams().JSON()), q.server.opts.MaxSubscriptionBytes; size > most {
		v := violation.Violation{Rule: "maxLength", Expected: "params of at most " + strconv.Itoa(most) + " bytes", Got: strconv.Itoa(size) + " bytes"}
		return runtime.InvalidParams([]violation.Violation{v}, 0)
	}
	if err := q.decode(func(r *wire.Reader) { f = readListen(r) }); err != nil {
		return err
	}
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return &fault{runtime.CodeInternalError, 0, "This connection carries no notifications", nil}
	}
	s := q.server
	s.agree(ctx, &f)
	if len(f.Tasks) > 0 && !q.declaresTasks() {
		return missingTasks()
	}
	id := runtime.RequestIDFrom(ctx)
	if id.IsZero() {
		id = q.call.ID()
	}
	tag := wire.AppendID([]byte(`"_meta":{"`+protocol.MetaSubscription+`":`), id)
	tag = append(tag, '}')
	if !s.subscribers.enter() {
		return &fault{CodeOverloaded, 503, "The server is shutting down", nil}
	}
	defer s.subscribers.running.Done()
	if err := s.subscribers.serve(ctx, q, conn, tag, &f); err != nil {
		return err
	}
	if protocol.HTTPFrom(ctx) == nil { // other messages follow on the same stream
		if err := conn.Notify(ctx, endMessage(tag, id)); err != nil {
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

// serve acknowledges a subscription and sends notifications until the server shuts down, the input
// of the session ends, or ctx ends. It is registered before it is acknowledged, so no change is
// lost in between; busy is set so that changes are sent only after the acknowledgement.
func (h *subscribers) serve(ctx context.Context, q *Request, conn runtime.Conn, tag []byte, f *protocol.Filter) error {
	l := newSubscriber(conn, tag)
	l.wants, l.busy = f.Lists, true
	l.show(ctx, q.server)
	h.watches.mu.Lock()
	f.URIs = h.watches.holdAll(f.URIs)
	for _, uri := range f.URIs {
		l.uris[uri] = false
	}
	h.watches.mu.Unlock()
	h.add(l)
	defer h.remove(l)
	defer l.watch(ctx, f, taskWatcher{q.server.opts.Tasks, q.taskCaller()})()
	if err := conn.Notify(ctx, acknowledge(f, tag)); err != nil {
		return err
	}
	l.send()
	select {
	case <-ctx.Done():
		l.cancel()
	case <-h.closing:
	case <-q.ended:
	}
	l.quiet()
	return l.ctx.Err()
}

// endMessage returns the message that ends a subscription on a stream that carries other messages
// as well (basic/patterns/cancellation).
func endMessage(tag []byte, id wire.ID) []byte {
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

// offeredLists returns the lists that the server has. It declares the capabilities of these alone.
func (s *Server) offeredLists() protocol.Lists {
	return protocol.Lists{Tools: hasTools(s), Prompts: hasPrompts(s), Resources: hasResources(s)}
}

// agree removes from f what the server does not offer.
func (s *Server) agree(ctx context.Context, f *protocol.Filter) {
	f.Lists = f.Lists.And(s.offeredLists())
	if !canSubscribe(s) {
		f.URIs = nil
	}
	slices.Sort(f.URIs)
	f.URIs = slices.Compact(f.URIs)
	f.URIs = slices.DeleteFunc(f.URIs, func(uri string) bool { return !s.visible(ctx, listing.Resources, uri) })
	f.URIs = f.URIs[:min(len(f.URIs), s.opts.MaxSubscriptions)]
	if !hasTasks(s) {
		f.Tasks = nil
	}
	slices.Sort(f.Tasks)
	f.Tasks = slices.Compact(f.Tasks)
	f.Tasks = f.Tasks[:min(len(f.Tasks), s.opts.MaxSubscriptions)]
}

// acknowledge returns the first message of a subscription, which says what it covers.
func acknowledge(f *protocol.Filter, tag []byte) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`...)
	b = append(append(b, tag...), `,"notifications":`...)
	return append(f.AppendJSON(b), "}}"...)
}
