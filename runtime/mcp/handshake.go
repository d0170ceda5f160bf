package mcp

import (
	"context"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// servePing answers a ping.
func servePing(_ context.Context, q *Request) error { return q.respond(empty) }

// serveSetLevel sets the level from which on messages are logged to the client of the session
// (2025-11-25, server/utilities/logging).
func serveSetLevel(_ context.Context, q *Request) error {
	l := protocol.NoLevel
	p := q.call.PeekParams().In("level")
	if name, ok := p.Text(); ok {
		l = protocol.LevelOf(name)
	}
	if l == protocol.NoLevel {
		v := violation.Violation{Pointer: "/level", Rule: "enum", Expected: violation.OneOf(protocol.Levels[:])}
		if name, ok := p.Text(); ok {
			v.Closest = violation.Closest(name, protocol.Levels[:])
		}
		return runtime.InvalidParams([]violation.Violation{v}, 0)
	}
	q.handshake.level.Store(int32(l))
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}

// serveInitialize answers the handshake.
func serveInitialize(_ context.Context, q *Request) error {
	b := append(q.call.Result(), `{"protocolVersion":`...)
	b = wire.AppendString(b, q.handshake.revision)
	q.call.Return(append(b, q.server.lists.initialized...))
	return nil
}

// serveSubscribe subscribes the session to changes of a resource (2025-11-25, server/resources,
// Subscriptions).
func serveSubscribe(ctx context.Context, q *Request) error {
	const most = 8 << 10 // bytes of a URI, as in most servers of HTTP
	if len(q.name) > most {
		return runtime.InvalidParams([]violation.Violation{{Pointer: "/uri", Rule: "maxLength", Expected: "at most 8192 bytes"}}, 0)
	}
	l := q.handshake.session.subscriber
	switch q.server.subscribers.subscribe(l, strings.Clone(q.name), &q.server.opts) {
	case tooManySubscriptions:
		return &fault{runtime.CodeInvalidRequest, 0, "Too many subscriptions", nil}
	case notSubscribable:
		return q.unknownEntry(listing.Resources)
	}
	l.show(context.WithoutCancel(ctx), q.server)
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}

// serveUnsubscribe ends the subscription to a resource.
func serveUnsubscribe(_ context.Context, q *Request) error {
	q.server.subscribers.unsubscribe(q.handshake.session.subscriber, q.name)
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}
