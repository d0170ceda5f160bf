package natsrpc

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// conn calls one service, or one client. It implements [runtime.Conn].
type conn struct {
	caller *caller
	to     target
}

// maxID is the bound of ids; see [runtime.Conn].
const maxID = 1 << 60

// NextID implements [runtime.Conn].
func (c *conn) NextID(n int) (int64, error) {
	last := c.caller.lastID.Add(int64(n))
	if last >= maxID {
		return 0, runtime.ErrIDsExhausted
	}
	return last - int64(n) + 1, nil
}

// Call implements [runtime.Conn]. In addition to the errors that are listed there, it fails with [ErrDisconnected], [*NoServerError],
// [*LostError] and [*frame.TooLargeError].
func (c *conn) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	reply, err := c.caller.call(ctx, c.to, msg, c.repeatable(msg))
	if err != nil {
		return nil, tooLarge(err, msg, c.caller)
	}
	p := wire.PeekAt(reply)
	if n, ok := p.In("id").Int64(); ok && n == id && (p.Has("result") || p.Has("error")) || isError(p) {
		return reply, nil // the generated client checks the rest
	}
	return nil, &runtime.ResponseError{Method: method(wire.PeekAt(msg)), What: "the reply is not a response to the request"}
}

// CallBatch implements [runtime.Conn].
func (c *conn) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	if n == 0 {
		return nil, c.Notify(ctx, msg)
	}
	reply, err := c.caller.call(ctx, c.to, msg, c.repeatable(msg))
	if err != nil {
		return nil, tooLarge(err, msg, c.caller)
	}
	return responses(reply, first, n)
}

// Notify implements [runtime.Conn]. It returns when the message is handed to the connection to NATS; it may be lost.
func (c *conn) Notify(ctx context.Context, msg []byte) error {
	return tooLarge(c.caller.publish(ctx, c.to.notes, "", msg), msg, c.caller)
}

// tooLarge returns the error for a message that does not fit into a payload of NATS together with its headers.
func tooLarge(err error, msg []byte, c *caller) error {
	if errors.Is(err, nats.ErrMaxPayload) {
		return &frame.TooLargeError{Size: int64(len(msg)), Max: payload(c.nc)}
	}
	return err
}

// repeatable reports whether msg may be executed more than once: all of it calls methods that are idempotent.
func (c *conn) repeatable(msg []byte) bool {
	known := c.caller.o.Idempotent
	if known == nil {
		return false
	}
	p := wire.PeekAt(msg)
	if p.Kind() != wire.Array {
		return known(method(p))
	}
	for e := range p.Elements() {
		if !e.Has("id") || !known(method(e)) {
			return false
		}
	}
	return true
}

// method returns the method of a message.
func method(p wire.Peek) string {
	name, _ := p.In("method").Text()
	return name
}

// isError reports whether p is an error whose id is null: it answers for all of a message.
func isError(p wire.Peek) bool { return p.Has("error") && string(p.In("id").JSON()) == "null" }

// responses returns the responses to the requests with n ids from first on. One error answers for all of them.
func responses(reply []byte, first int64, n int) ([][]byte, error) {
	p := wire.PeekAt(reply)
	all := make([][]byte, n)
	switch {
	case wire.Check(reply, wire.MaxDepth) != nil:
		return nil, &runtime.ResponseError{What: "the reply to a batch is not valid JSON"}
	case isError(p):
		for i := range all {
			all[i] = reply
		}
		return all, nil
	case p.Kind() != wire.Array:
		return nil, &runtime.ResponseError{What: "the reply to a batch is not an array"}
	}
	for e := range p.Elements() {
		id, ok := e.In("id").Int64()
		if at := id - first; ok && 0 <= at && at < int64(n) && all[at] == nil {
			all[at] = e.JSON()
		}
	}
	return all, nil
}
