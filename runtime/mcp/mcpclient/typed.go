package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// typedRequest is the common part of the requests of generated clients. Generated code appends the
// arguments, sends the request, and decodes the result in a loop.
type typedRequest struct {
	client     *Client
	request    outgoing
	declared   recogniser
	out        *outcome
	err        error
	begun      bool   // decoding of the text has begun
	text       []byte // the text that is decoded
	reader     wire.Reader
	violations violation.List
}

// Violations returns the list to which violations of the arguments, and later of the result, are
// added.
func (q *typedRequest) Violations() *violation.List { return &q.violations }

// Reader returns the reader of the result.
func (q *typedRequest) Reader() *wire.Reader { return &q.reader }

// Err returns the error of the request, or nil.
func (q *typedRequest) Err() error {
	if q.err == nil && q.violations.Len() > 0 { // a text is not decoded in a loop
		q.fail("the result does not fit the schema")
	}
	return q.err
}

// Close ends the request. It is deferred: if arguments could not be written as JSON, it recovers
// the panic and stores the error in *err.
func (q *typedRequest) Close(err *error) {
	switch p := recover().(type) {
	case nil:
	case *wire.EncodeError:
		*err = p
	default:
		panic(p)
	}
}

// send makes the request, unless the arguments violate their rules: then the error is a
// [*runtime.ParamsError].
func (q *typedRequest) send(ctx context.Context) {
	if q.violations.Len() > 0 {
		q.err = &runtime.ParamsError{Method: q.request.title(), Violations: q.violations.All()}
		q.violations.Reset()
		return
	}
	q.out, q.err = q.client.do(ctx, &q.request)
	q.err = q.declared.of(q.err)
}

// decodes is the condition of the loop that decodes text, which must be JSON.
func (q *typedRequest) decodes() bool {
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

// fail stores the error that the result is invalid because of what.
func (q *typedRequest) fail(what string) {
	q.err = &runtime.ResponseError{Method: q.request.title(), What: what, Violations: q.violations.All()}
}

// whole decodes the complete result into v.
func (q *typedRequest) whole(v wire.Decoder) {
	if q.err == nil {
		q.err = q.out.decode(&q.request, v)
	}
}

// requestWithArguments is a request with arguments.
type requestWithArguments struct {
	typedRequest
	start int // index of the arguments
}

// namedMembers returns the params of a request for a tool or prompt, with room for arguments.
func namedMembers(name string) []byte {
	const room = 512 // bytes; grows if necessary
	return wire.AppendString(append(make([]byte, 0, room), `,"name":`...), name)
}

// Arguments returns the buffer to append the arguments to. Pass the extended buffer to Send.
func (q *requestWithArguments) Arguments() []byte {
	b := append(q.request.members, `,"arguments":`...)
	q.start = len(b)
	return b
}

// Send sends the request with b, which is the buffer of Arguments with the arguments appended. It
// answers questions of the server and waits for the result. Arguments that violate a rule are not
// sent: the error is a [*runtime.ParamsError].
func (q *requestWithArguments) Send(ctx context.Context, b []byte) {
	q.request.members, q.request.arguments = b, b[q.start:]
	q.send(ctx)
}

// SendEmpty sends the request without arguments.
func (q *requestWithArguments) SendEmpty(ctx context.Context) { q.send(ctx) }
