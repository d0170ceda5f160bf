package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// typed is what the requests of generated clients have in common. Generated code appends the arguments, sends, and decodes what comes in
// a loop.
type typed struct {
	client     *Client
	ask        ask
	out        *outcome
	err        error
	begun      bool   // decoding of the text has begun
	text       []byte // what is decoded
	reader     wire.Reader
	violations rule.Violations
}

// Violations returns where the rules are collected that the arguments break before they are sent, and later the result.
func (q *typed) Violations() *rule.Violations { return &q.violations }

// Reader returns the cursor at what is decoded.
func (q *typed) Reader() *wire.Reader { return &q.reader }

// Err returns what went wrong, or nil.
func (q *typed) Err() error {
	if q.err == nil && q.violations.Len() > 0 { // of a text, which is not decoded in a loop
		q.fail("the result does not fit the schema")
	}
	return q.err
}

// Close ends the request. It is deferred: when arguments could not be written as JSON, *err says so.
func (q *typed) Close(err *error) {
	switch p := recover().(type) {
	case nil:
	case *wire.EncodeError:
		*err = p
	default:
		panic(p)
	}
}

// send makes the request, unless what was to be sent breaks rules: then the error is a [*runtime.ParamsError].
func (q *typed) send(ctx context.Context) {
	if q.violations.Len() > 0 {
		q.err = &runtime.ParamsError{Method: q.ask.title(), Violations: q.violations.All()}
		q.violations.Reset()
		return
	}
	q.out, q.err = q.client.do(ctx, &q.ask)
}

// decodes is the condition of the loop that decodes text, which is JSON.
func (q *typed) decodes() bool {
	if !q.begun {
		q.begun = true
		q.reader.Reset(q.text, wire.Space(q.text, 0), wire.MaxDepth)
		return true
	}
	switch q.reader.Outcome(&q.violations) {
	case wire.Faulty:
		q.violations.Reset()
		q.reader.Collect(q.text, wire.Space(q.text, 0), wire.MaxDepth, &q.violations)
		return true
	case wire.OverBudget:
		q.fail((&wire.BudgetError{Size: len(q.text)}).Error())
	case wire.Violated:
		q.fail("the result does not fit the schema")
	case wire.Unexplained:
		q.fail("decoding rejected the result without a violation")
	}
	return false
}

// fail says that the result is not what it should be.
func (q *typed) fail(what string) {
	q.err = &runtime.ResponseError{Method: q.ask.title(), What: what, Violations: q.violations.All()}
}

// whole decodes the whole result into v.
func (q *typed) whole(v wire.Decoder) {
	if q.err == nil {
		q.err = q.out.decode(&q.ask, v)
	}
}

// argued is a request that takes arguments.
type argued struct {
	typed
	start int // of the arguments
}

// namedMembers returns the params of a request for the tool or prompt of a name, with room for arguments.
func namedMembers(name string) []byte {
	const room = 512 // bytes; more is made when it is needed
	return wire.AppendString(append(make([]byte, 0, room), `,"name":`...), name)
}

// Arguments returns the buffer that the arguments are to be appended to; Send takes it.
func (q *argued) Arguments() []byte {
	b := append(q.ask.members, `,"arguments":`...)
	q.start = len(b)
	return b
}

// Send sends the request with b, which is Arguments with the arguments appended, answers what the server asks, and waits for the
// result. Arguments that broke a rule are not sent: the error is a [*runtime.ParamsError].
func (q *argued) Send(ctx context.Context, b []byte) {
	q.ask.members, q.ask.arguments = b, b[q.start:]
	q.send(ctx)
}

// SendEmpty sends the request without arguments, like Send.
func (q *argued) SendEmpty(ctx context.Context) { q.send(ctx) }
