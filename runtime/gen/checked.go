package gen

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// What follows says no more than the loops over [runtime.Call.Params] and [Request.Result], for values that know how to write, read and
// check themselves. Code of the compact codec calls it: there is less to compile, and what it is called with goes to the heap.

// Decode decodes the params into v and checks them; keys are those of [runtime.Call.Params]. False: the call is answered.
func Decode(c *runtime.Call, v wire.Decoder, keys string) bool {
	for c.Params(keys) {
		decodeChecked(v, c.Reader(), c.Violations())
	}
	return !c.Answered()
}

// Reply answers with v once its rules are checked, or with err unless that is nil.
func Reply(c *runtime.Call, v wire.Appender, err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(appendChecked(c.Result(), v, c.Violations()))
}

// Invoke calls method over conn with params, and decodes the result into result. Declared is that of [Request.Result]; so are the
// errors, and those of [Request.Send].
func Invoke(ctx context.Context, conn runtime.Conn, method string, params wire.Appender, result wire.Decoder, declared func(*runtime.Error) error) (err error) {
	q := NewRequest(conn, method)
	defer q.Close(&err)
	q.Send(ctx, appendChecked(q.Params(), params, &q.violations))
	for q.Result(declared) {
		decodeChecked(result, q.Reader(), &q.violations)
	}
	return q.Err()
}

// decodeChecked reads v, and reports to vs the rules that it breaks.
func decodeChecked(v wire.Decoder, r *wire.Reader, vs *rule.Violations) {
	v.DecodeJSON(r)
	if c, ok := v.(rule.Checker); ok {
		c.CheckRules(vs)
	}
}

// appendChecked reports to vs the rules that v breaks, and appends v.
func appendChecked(b []byte, v wire.Appender, vs *rule.Violations) []byte {
	if c, ok := v.(rule.Checker); ok {
		c.CheckRules(vs)
	}
	return v.AppendJSON(b)
}
