package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Question is an input request of a server to its client.
type Question struct {
	Key    string      // its key among the questions of one round; empty in the handshake era
	Method string      // elicitation/create, sampling/createMessage or roots/list
	Params runtime.Raw // in the order in which the server wrote the members
}

// QuestionFrom returns the question for which a handler of [Options] was called with ctx.
func QuestionFrom(ctx context.Context) Question {
	q, _ := ctx.Value(questionKey{}).(Question)
	return q
}

type questionKey struct{}

// errNotAsked answers a question for which the client has declared no capability.
var errNotAsked error = notAskedError{}

type notAskedError struct{}

func (notAskedError) Error() string { return "Method not found" }

// RPCError implements [runtime.Coder].
func (e notAskedError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: runtime.CodeMethodNotFound, Message: e.Error()}
}

// questions are the methods of questions.
var questions = []string{"elicitation/create", "sampling/createMessage", "roots/list"}

// answer appends the answer to a question.
func (o *Options) answer(ctx context.Context, b []byte, asked Question) (_ []byte, err error) {
	defer wire.CatchEncodeError(&err)
	ctx = context.WithValue(ctx, questionKey{}, asked)
	params := []byte(asked.Params.String())
	mode, _ := wire.PeekAt(params).In("mode").Text()
	switch {
	case asked.Method == "elicitation/create" && mode == "url" && o.OnElicitURL != nil:
		return handle(ctx, b, params, o.OnElicitURL)
	case asked.Method == "elicitation/create" && mode != "url" && o.OnElicit != nil:
		return handle(ctx, b, params, o.elicit)
	case asked.Method == "sampling/createMessage" && o.OnSample != nil:
		return handle(ctx, b, params, o.OnSample)
	case asked.Method == "roots/list" && o.OnRoots != nil:
		roots, err := o.OnRoots(ctx)
		return appendAnswer(b, &roots, err)
	case o.OnQuestion != nil && slices.Contains(questions, asked.Method):
		answer, err := o.OnQuestion(ctx, asked)
		if err != nil {
			return b, err
		}
		return wire.AppendRaw(b, answer), nil
	}
	return b, errNotAsked
}

// handle decodes the params of a question, calls a handler, and appends the answer.
func handle[P, R any, PP interface {
	*P
	wire.Decoder
}, PR interface {
	*R
	wire.Appender
}](ctx context.Context, b, params []byte, f func(context.Context, P) (R, error)) ([]byte, error) {
	var p P
	if err := wire.UnmarshalCopy(params, PP(&p)); err != nil {
		if broken, ok := errors.AsType[*violation.Error](err); ok {
			err = runtime.InvalidParams(broken.Violations, broken.Dropped)
		}
		return b, err
	}
	result, err := f(ctx, p)
	return appendAnswer(b, PR(&result), err)
}

// appendAnswer appends an answer, after checking that it conforms to the protocol.
func appendAnswer(b []byte, v wire.Appender, err error) ([]byte, error) {
	if err != nil {
		return b, err
	}
	if checked, ok := v.(violation.Checker); ok {
		if err := violation.Validate(checked); err != nil {
			return b, fmt.Errorf("the answer of the handler: %w", err)
		}
	}
	return v.AppendJSON(b), nil
}
