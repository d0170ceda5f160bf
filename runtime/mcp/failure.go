package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Failure is what the client of a request is told that failed.
type Failure struct {
	Tool      bool  // a result of a tool that says it is an error
	Code      int64 // of the JSON-RPC error that is answered otherwise
	Cancelled bool  // nothing: the client has cancelled the request
	NotFound  bool  // beside: there is no tool, prompt or resource of the request's name, or no such method
}

// Failure says what the client is told when err is what the request's handler has returned; nil: the request did not fail. Middleware asks
// it after it has called the next handler. That a stateless client has to answer questions first is no failure.
func (q *Request) Failure(err error) *Failure {
	f := &Failure{NotFound: q.missing}
	code, failed := q.call.Failure()
	switch {
	case cancelled(q.context):
		f.Cancelled = true
	case err == nil && failed:
		f.Code = code
	case err == nil && q.isError:
		f.Tool = true
	case err == nil, errors.As(err, new(*InputRequired)) && q.asks():
		return nil
	default:
		f.Tool, f.Code = q.told(q.inEra(err))
	}
	f.NotFound = f.NotFound || f.Code == runtime.CodeMethodNotFound
	return f
}

// told says how an error is answered: as the result of a tool, or by a code.
func (q *Request) told(err error) (tool bool, code int64) {
	if q.route == &toolsCall && q.tellsModel(err) {
		return true, 0
	}
	if coder, ok := errors.AsType[runtime.Coder](err); ok {
		if o := coder.RPCError(); o.Category == own || !reserved(o.Code) {
			return false, o.Code
		}
	}
	return false, runtime.CodeInternalError
}

// inEra returns err as the era of the request has it.
func (q *Request) inEra(err error) error {
	if lacks, ok := errors.AsType[*MissingCapabilityError](err); ok && q.shake != nil {
		return lacks.inSession()
	}
	return err
}
