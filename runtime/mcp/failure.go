package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Failure describes how a request failed, as its client sees it.
type Failure struct {
	Tool      bool  // the result of a tool with isError
	Code      int64 // otherwise the code of the JSON-RPC error
	Cancelled bool  // the client has cancelled the request and gets no answer
	NotFound  bool  // in addition: the tool, prompt, resource or method does not exist
}

// Failure returns how the request fails if its handler has returned err, or nil if it does not
// fail. Middleware calls it after the next handler. Questions to a stateless client are not a
// failure.
func (q *Request) Failure(err error) *Failure {
	f := &Failure{NotFound: q.missing}
	code, failed := q.call.Failure()
	switch {
	case isCancelled(q.context):
		f.Cancelled = true
	case err == nil && failed:
		f.Code = code
	case err == nil && q.isError:
		f.Tool = true
	case err == nil, errors.As(err, new(*InputRequired)) && q.asks():
		return nil
	default:
		f.Tool, f.Code = q.answerKind(q.inEra(err))
	}
	f.NotFound = f.NotFound || f.Code == runtime.CodeMethodNotFound
	return f
}

// answerKind reports whether err is answered as the result of a tool; otherwise it returns the code
// of the error.
func (q *Request) answerKind(err error) (tool bool, code int64) {
	if q.route.is(toolsCall) && q.becomesResult(err) {
		return true, 0
	}
	if coder, ok := errors.AsType[runtime.Coder](err); ok {
		if o := coder.RPCError(); !q.server.forbidden(o) {
			return false, o.Code
		}
	}
	return false, runtime.CodeInternalError
}

// inEra returns err in the form that the era of the request requires.
func (q *Request) inEra(err error) error {
	if lacks, ok := errors.AsType[*MissingCapabilityError](err); ok && q.handshake != nil {
		return &missingCapabilityFault{fault{runtime.CodeInvalidParams, 0, "Missing required client capability", lacks.appendData}, lacks.Required}
	}
	return err
}
