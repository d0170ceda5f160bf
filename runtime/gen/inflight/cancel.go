// Package inflight cancels requests that are on the way, and reports their progress, for the protocols that do so with notifications. It is for
// generated code only, and makes no promise of compatibility to other code.
//
//test:by ./runtime/gen
package inflight

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// cancelTime is how long telling the peer of a cancelled request may wait for other messages to be written.
const cancelTime = time.Second

// CancelBy returns conn for a protocol in which a notification cancels a request: a call whose context ends first sends the notification
// method with {member: id} as params. Its error is that of the context in any case. It returns nil if conn is nil.
func CancelBy(conn runtime.Conn, method, member string) runtime.Conn {
	if conn == nil {
		return nil
	}
	head := append(wire.AppendString(append(gen.AppendNotification(nil, method), '{'), member), ':')
	return &canceller{conn, head[:len(head):len(head)]}
}

type canceller struct {
	runtime.Conn
	head []byte // of the notification, up to the id
}

// Unwrap returns the connection that calls are cancelled on.
func (c *canceller) Unwrap() runtime.Conn { return c.Conn }

// Call implements runtime.Conn.
func (c *canceller) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	reply, err := c.Conn.Call(ctx, id, msg)
	if err != nil {
		c.fail(ctx, err, id, 1)
	}
	return reply, err
}

// CallBatch implements runtime.Conn.
func (c *canceller) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	replies, err := c.Conn.CallBatch(ctx, first, n, msg)
	if err != nil {
		c.fail(ctx, err, first, n)
	}
	return replies, err
}

// fail cancels n requests from first on, if their call failed because its time was over or the caller gave up: the time may be that of ctx, or
// [runtime.Options.CallTimeout]. If the peer cannot be notified, that is ignored: the connection is about to end then.
func (c *canceller) fail(ctx context.Context, err error, first int64, n int) {
	if err != context.Canceled && err != context.DeadlineExceeded {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	for id := first; id < first+int64(n); id++ {
		if c.Notify(ctx, append(wire.AppendInt(c.head, id), "}}"...)) != nil {
			return
		}
	}
}
