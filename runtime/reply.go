package runtime

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// reply is the response to an own request while its result is decoded.
type reply struct {
	msg    []byte
	env    envelope
	phase  phase
	reader wire.Reader
}

// next is what [Request.Result] does.
func (r *reply) next(method string, declared func(*Error) error, vs *rule.Violations) (more bool, err error) {
	switch {
	case r.phase == untouched:
		return r.begin(method, declared)
	case r.reader.Spent() && vs.Len() == 0:
		return false, &ResponseError{Method: method, What: (&wire.BudgetError{Size: len(r.msg)}).Error()}
	case r.phase == fast && r.reader.Failed():
		return r.collect(method, vs)
	case r.phase == fast && !r.end():
		return false, r.bad(method)
	}
	if r.phase == collecting && r.reader.Failed() && vs.Len() == 0 {
		return false, &ResponseError{Method: method, What: "the result was refused without a reason"}
	}
	r.phase = decoded
	if vs.Len() > 0 {
		return false, &ResponseError{Method: method, What: "the result does not fit the schema", Violations: vs.All()}
	}
	return false, nil
}

// begin puts the reader at the result, or returns the error that was answered.
func (r *reply) begin(method string, declared func(*Error) error) (bool, error) {
	r.phase = fast
	r.env = envelope{loose: true, depth: wire.MaxDepth - 1}
	if !r.env.open(r.msg) {
		return false, r.bad(method)
	}
	if r.env.seen&hasError != 0 {
		return false, r.failure(method, declared)
	}
	if r.env.seen&hasResult == 0 || r.env.complete && !r.valid() {
		return false, r.bad(method)
	}
	r.reader.Reset(r.msg, r.env.result.start, wire.MaxDepth-1)
	return true, nil
}

// end reads what follows the result.
func (r *reply) end() bool {
	if r.env.complete {
		return true
	}
	r.env.result.end = r.reader.Pos()
	return r.env.resume(r.msg, r.env.result.end) && r.valid()
}

// valid tells whether the members are those of a response: version, id, and exactly one of result and error (JSON-RPC 2.0
// section 5).
func (r *reply) valid() bool {
	switch r.env.seen & (hasResult | hasError) {
	case hasResult, hasError:
		return r.env.seen&(hasVersion|hasID|hasMethod) == hasVersion|hasID
	}
	return false
}

// collect starts the pass that collects violations.
func (r *reply) collect(method string, vs *rule.Violations) (bool, error) {
	if !r.env.finish(r.msg) || !r.valid() {
		return false, r.bad(method)
	}
	r.phase = collecting
	vs.Reset()
	r.reader.Collect(r.msg, r.env.result.start, wire.MaxDepth-1, vs)
	return true, nil
}

// failure returns the error that was answered.
func (r *reply) failure(method string, declared func(*Error) error) error {
	if !r.env.finish(r.msg) || !r.valid() {
		return r.bad(method)
	}
	e, ok := decodeError(r.env.err.of(r.msg))
	if !ok {
		return &ResponseError{Method: method, What: "the error is not one of JSON-RPC 2.0"}
	}
	if declared != nil {
		if err := declared(e); err != nil {
			return err
		}
	}
	return e
}

// bad says what is wrong with the envelope.
func (r *reply) bad(method string) error {
	what := "it is not a response of JSON-RPC 2.0"
	if err := wire.Check(r.msg, wire.MaxDepth); err != nil {
		what = err.Error()
	} else if r.env.seen&(hasResult|hasError) == hasResult|hasError {
		what = "it holds both a result and an error"
	}
	return &ResponseError{Method: method, What: what}
}

// decodeError reads an error object, whose syntax is known to be good (JSON-RPC 2.0 section 5.1). Members beyond those of the
// specification are read past.
func decodeError(b []byte) (*Error, bool) {
	if len(b) == 0 || b[0] != '{' {
		return nil, false
	}
	e := &Error{}
	var hasCode, hasMessage bool
	for i := wire.Space(b, 1); b[i] != '}'; {
		name, at := memberText(b, i)
		end := skipValid(b, at)
		switch value := b[at:end]; name {
		case "code":
			e.Code, hasCode = readCode(value)
		case "message":
			e.Message, at = wire.Str(b, at)
			hasMessage = at > 0
		case "data":
			e.Data, _ = wire.ParseRaw(value)
			e.HasData = true
		}
		if i = wire.Space(b, end); b[i] == ',' {
			i = wire.Space(b, i+1)
		}
	}
	return e, hasCode && hasMessage
}

func readCode(value []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return n, err == nil
}
