package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ErrOver is returned for what is reported about a request that has ended.
var ErrOver = errors.New("the request is over")

// Progress tells the client how far the request is whose context ctx is, if the client wants to know (basic/patterns/progress). A total of
// zero is unknown, an empty message none. What does not go beyond the last report is left out.
func Progress(ctx context.Context, done, total float64, message string) error {
	q := RequestFrom(ctx)
	if q == nil || q.token.IsZero() {
		return nil
	}
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return nil
	}
	q.mu.Lock()
	over, stale := q.over, q.reported && done <= q.progress
	if !over && !stale {
		q.reported, q.progress = true, done
	}
	q.mu.Unlock()
	switch {
	case over:
		return ErrOver
	case stale:
		return nil
	}
	msg, err := appendProgress(q.token, done, total, message)
	if err != nil {
		return err
	}
	return conn.Notify(ctx, msg)
}

// appendProgress returns the notification.
func appendProgress(token wire.ID, done, total float64, message string) (b []byte, err error) {
	defer wire.CatchEncodeError(&err)
	b = wire.AppendID([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), token)
	b = wire.AppendFloat(append(b, `,"progress":`...), done)
	if total > 0 {
		b = wire.AppendFloat(append(b, `,"total":`...), total)
	}
	if message != "" {
		b = wire.AppendString(append(b, `,"message":`...), message)
	}
	return append(b, "}}"...), nil
}
