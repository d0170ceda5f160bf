package gen

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// response decodes the response to a request. Its method reset is called before anything else. The zero value can be reused.
type response struct {
	method string // name of the method that was called
	msg    []byte
	env    envelope.Envelope
	begun  bool // Next was called
	reader wire.Reader
}

// reset prepares to decode msg, the response to a call of method. Decoded strings share the bytes of msg.
func (r *response) reset(method string, msg []byte) {
	r.method, r.msg, r.begun = method, msg, false
}

// result returns the reader of the result. It is positioned in the loop over next.
func (r *response) result() *wire.Reader { return &r.reader }

// next is the condition of the loop that decodes the result. The loop body runs once; it runs a
// second time if the result is invalid, to collect every violation in vs.
//
// The body does not run if the response is an error. In that case err is what declared returns for the error object, or the [*runtime.Error] itself if
// declared is nil or returns nil. If the response is invalid or its result does not conform to the schema, err is a [*runtime.ResponseError].
func (r *response) next(declared func(*runtime.Error) error, vs *violation.List) (more bool, err error) {
	switch {
	case !r.begun:
		return r.begin(declared)
	case r.reader.Outcome(vs) == wire.Faulty:
		return r.collect(vs)
	}
	switch outcome := r.reader.Outcome(vs); {
	case outcome == wire.OverBudget:
		return false, &runtime.ResponseError{Method: r.method, What: (&wire.BudgetError{Size: len(r.msg)}).Error()}
	case !r.end():
		return false, r.bad()
	case outcome == wire.Violated:
		return false, &runtime.ResponseError{Method: r.method, What: "the result does not fit the schema", Violations: vs.All()}
	case outcome == wire.Unexplained:
		return false, &runtime.ResponseError{Method: r.method, What: "decoding rejected the result without a violation"}
	}
	return false, nil
}

// begin positions the reader at the result for the fast pass, or returns the error of the response.
func (r *response) begin(declared func(*runtime.Error) error) (bool, error) {
	r.begun = true
	r.env = envelope.Envelope{Loose: true, Depth: wire.MaxDepth - 1}
	if !r.env.Open(r.msg) {
		return false, r.bad()
	}
	if r.env.Seen&envelope.HasError != 0 {
		return false, r.failure(declared)
	}
	if r.env.Seen&envelope.HasResult == 0 || r.env.Complete && !r.valid() {
		return false, r.bad()
	}
	r.reader.Reset(r.msg, r.env.Result.Start, wire.MaxDepth-1)
	return true, nil
}

// end reads the members that follow the result. It reports false if the message is not a valid response.
func (r *response) end() bool {
	if r.env.Complete {
		return true
	}
	r.env.Result.End = r.reader.Pos()
	return r.env.Resume(r.msg, r.env.Result.End) && r.valid()
}

// valid reports whether the members are those of a response: the version, the id, and either the result or the error (JSON-RPC 2.0 section 5).
func (r *response) valid() bool {
	switch r.env.Seen & (envelope.HasResult | envelope.HasError) {
	case envelope.HasResult, envelope.HasError:
		return r.env.Seen&(envelope.HasVersion|envelope.HasID|envelope.HasMethod) == envelope.HasVersion|envelope.HasID
	}
	return false
}

// collect starts the second pass, which collects violations.
func (r *response) collect(vs *violation.List) (bool, error) {
	if !r.env.Finish(r.msg) || !r.valid() {
		return false, r.bad()
	}
	vs.Reset()
	r.reader.Collect(r.msg, r.env.Result.Start, wire.MaxDepth-1, vs)
	return true, nil
}

// failure returns the error of a response that holds one.
func (r *response) failure(declared func(*runtime.Error) error) error {
	if !r.env.Finish(r.msg) || !r.valid() {
		return r.bad()
	}
	e, ok := envelope.DecodeError(r.env.Err.Of(r.msg))
	if !ok {
		return &runtime.ResponseError{Method: r.method, What: "the error is not a valid JSON-RPC 2.0 error"}
	}
	if declared != nil {
		if err := declared((*runtime.Error)(&e)); err != nil {
			return err
		}
	}
	return (*runtime.Error)(&e)
}

// bad returns the error that says what is wrong with the envelope.
func (r *response) bad() error {
	what := "it is not a valid JSON-RPC 2.0 response"
	if err := wire.Check(r.msg, wire.MaxDepth); err != nil {
		what = err.Error()
	} else if r.env.Seen&(envelope.HasResult|envelope.HasError) == envelope.HasResult|envelope.HasError {
		what = "it holds both a result and an error"
	} else if r.env.Seen&envelope.HasMethod != 0 {
		what = "it holds a method, as requests do"
	}
	return &runtime.ResponseError{Method: r.method, What: what}
}
