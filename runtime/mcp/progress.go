package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Progress sends a progress notification to the client of the request that ctx belongs to, if the client has asked for progress (basic/patterns/progress). A
// total of 0 means unknown, and an empty message means none. In a task, the client also finds the progress in the state of the task. Values must increase; a
// value that does not exceed the last one is not sent.
func Progress(ctx context.Context, done, total float64, message string) error {
	s, err := acquire(ctx)
	if err == errNoRequest {
		return nil
	}
	if err != nil {
		return err
	}
	token, news := s.request.advance(done)
	task := s.request.task
	s.mu.Unlock()
	if task != nil {
		task.Report(done, total, message)
	}
	conn := runtime.PeerFrom(ctx)
	if !news || conn == nil {
		return nil
	}
	msg, err := appendProgress(token, done, total, message)
	if err != nil {
		return err
	}
	return conn.Notify(ctx, msg)
}

// advance notes the progress, and reports whether it has to be sent. The scope must be locked.
func (q *Request) advance(done float64) (token wire.ID, news bool) {
	if q.meta.token.IsZero() || q.reported && done <= q.progress {
		return token, false
	}
	q.reported, q.progress = true, done
	return q.meta.token, true
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
