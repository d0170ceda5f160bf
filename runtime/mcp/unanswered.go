package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// UnansweredError means that the client of a session has not answered a question within
// [Options.QuestionTimeout].
type UnansweredError struct {
	Key     string // of the question
	Timeout time.Duration
}

func (e *UnansweredError) Error() string {
	return "the client did not answer within " + e.Timeout.String()
}

// Is reports whether target is [context.DeadlineExceeded], so that [errors.Is] matches it.
func (*UnansweredError) Is(target error) bool { return target == context.DeadlineExceeded }

// ToolError implements [ToolError].
func (*UnansweredError) ToolError() string { return "Unanswered" }

// AppendData implements [ToolError].
func (e *UnansweredError) AppendData(b []byte) []byte {
	b = wire.AppendString(append(b, `{"key":`...), e.Key)
	return append(wire.AppendString(append(b, `,"timeout":`...), e.Timeout.String()), '}')
}

// RPCError implements [runtime.Coder], for methods other than tools.
func (e *UnansweredError) RPCError() runtime.ErrorObject {
	return (&fault{CodeTimeout, 504, "The client did not answer within " + e.Timeout.String(), e.AppendData}).RPCError()
}

// errNoAnswer is the context.Cause of waiting for an answer too long.
var errNoAnswer = errors.New("the client did not answer in time")

// withdraw notifies a client that a question need not be answered any more. It does not wait for a
// client that does not read.
func withdraw(ctx context.Context, conn runtime.Conn, id int64) {
	const most = time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	b := wire.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id)
	conn.Notify(ctx, append(b, `,"reason":"it was not answered in time"}}`...))
}
