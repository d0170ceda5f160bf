package compact

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The functions in this file read, write and check values that know how to do so themselves: params and results are a [Walked], or a [wire.Decoder] to be read
// and a [wire.Appender] to be written, and a [violation.Checker] if they have rules. There is less code to compile, but their arguments are allocated on the
// heap.

// NewBatch returns an empty batch of such values that is sent over conn.
func NewBatch(conn runtime.Conn) *gen.Batch {
	return gen.NewBatchOf(conn, gen.Codec{Append: appendChecked, Decode: decodeChecked})
}

// Decode decodes the params of c into v and checks them, in a loop over [runtime.Call.Params].
func Decode(c *runtime.Call, v any) { decodeChecked(v, c.Reader(), c.Violations()) }

// Reply answers with v after checking its rules, or with err if err is not nil.
func Reply(c *runtime.Call, v any, err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(appendChecked(c.Result(), v, c.Violations()))
}

// Invoke calls method over conn with params, and decodes the result into result. The argument
// declared and the errors are those of [gen.Request.Send] and [gen.Request.Result].
func Invoke(ctx context.Context, conn runtime.Conn, method string, params, result any, declared func(*runtime.Error) error) (err error) {
	q := gen.NewRequest(conn, method)
	defer q.Close(&err)
	q.Send(ctx, appendChecked(q.Params(), params, q.Violations()))
	for q.Result(declared) {
		decodeChecked(result, q.Reader(), q.Violations())
	}
	return q.Err()
}

// decodeChecked reads v and reports violations of its rules to vs.
func decodeChecked(v any, r *wire.Reader, vs *violation.List) {
	if v, ok := v.(Walked); ok {
		WalkDecodeRules(r, vs, v)
		return
	}
	gen.DecodeChecked(v, r, vs)
}

// appendChecked reports violations of the rules of v to vs, and appends v.
func appendChecked(b []byte, v any, vs *violation.List) []byte {
	if v, ok := v.(Walked); ok {
		return WalkAppendRules(b, vs, v)
	}
	return gen.AppendChecked(b, v, vs)
}
