package gen

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The functions in this file replace the loops over [runtime.Call.Params] and [Request.Result] for values that write, read and
// check themselves: params and results are a [wire.Walked], or a [wire.Decoder] to be read and a [wire.Appender] to be written, and a
// [rule.Checker] if they have rules. The compact codec calls them: there is less code to compile, but their arguments are allocated on
// the heap.

// Decode decodes the params into v and checks them. The argument keys is that of
// [runtime.Call.Params]. It reports false if the params were rejected and the call is answered.
func Decode(c *runtime.Call, v any, keys string) bool {
	for c.Params(keys) {
		decodeChecked(v, c.Reader(), c.Violations())
	}
	return !c.Answered()
}

// Reply answers with v after checking its rules, or with err if err is not nil.
func Reply(c *runtime.Call, v any, err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(appendChecked(c.Result(), v, c.Violations()))
}

// Invoke calls method over conn with params, and decodes the result into result. The argument
// declared and the errors are those of [Request.Send] and [Request.Result].
func Invoke(ctx context.Context, conn runtime.Conn, method string, params, result any, declared func(*runtime.Error) error) (err error) {
	q := NewRequest(conn, method)
	defer q.Close(&err)
	q.Send(ctx, appendChecked(q.Params(), params, &q.violations))
	for q.Result(declared) {
		decodeChecked(result, q.Reader(), &q.violations)
	}
	return q.Err()
}

// decodeChecked reads v and reports violations of its rules to vs.
func decodeChecked(v any, r *wire.Reader, vs *rule.Violations) {
	if v, ok := v.(wire.Walked); ok {
		wire.WalkDecodeRules(r, vs, v)
		return
	}
	v.(wire.Decoder).DecodeJSON(r)
	if v, ok := v.(rule.Checker); ok {
		v.CheckRules(vs)
	}
}

// appendChecked reports violations of the rules of v to vs, and appends v.
func appendChecked(b []byte, v any, vs *rule.Violations) []byte {
	if v, ok := v.(wire.Walked); ok {
		return wire.WalkAppendRules(b, vs, v)
	}
	if v, ok := v.(rule.Checker); ok {
		v.CheckRules(vs)
	}
	return v.(wire.Appender).AppendJSON(b)
}
