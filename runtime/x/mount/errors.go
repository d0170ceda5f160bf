package mount

import (
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// callError is why a call that was passed on has no answer of its server. The model reads it.
type callError struct {
	name, text string
	err        error // for the log; it may be confidential
}

func (e *callError) Error() string { return e.text }

func (e *callError) Unwrap() error { return e.err }

// RPCError implements [runtime.Coder], for prompts and resources.
func (e *callError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: runtime.CodeInternalError, Message: e.text}
}

// ToolError implements [mcp.ToolError].
func (e *callError) ToolError() string { return e.name }

// AppendData implements [mcp.ToolError].
func (*callError) AppendData(b []byte) []byte { return b }

// unavailable returns the error for clients while the server cannot be reached, because of err. Of err they learn what [UpstreamOptions.Explain] tells.
func (u *upstream) unavailable(err error) error {
	text := fmt.Sprintf("The server %q cannot be reached at present. Try again later.", u.Name)
	if err != nil {
		if why := u.all.o.Explain(err); why != "" {
			text = fmt.Sprintf("The server %q cannot be used at present: %s.", u.Name, why)
		}
	}
	return &callError{"Unavailable", text, err}
}

func isUnavailable(err error) bool {
	e, ok := errors.AsType[*callError](err)
	return ok && e.name == "Unavailable"
}

// isLost reports whether err is the answer of a server that does not know a task.
func isLost(err error) bool {
	e := answerOf(err)
	return e != nil && (e.Code == runtime.CodeInvalidParams || e.Code == runtime.CodeMethodNotFound)
}

// passedError is an error of a server that the client gets as it is.
type passedError struct{ answered *runtime.Error }

func (e *passedError) Error() string { return e.answered.Error() }

// RPCError implements [runtime.Coder]. The category allows codes of the protocol.
func (e *passedError) RPCError() runtime.ErrorObject {
	o := runtime.ErrorObject{Code: e.answered.Code, Message: e.answered.Message, Category: "mcp"}
	if e.answered.HasData {
		o.AppendData = func(b []byte) []byte { return wire.AppendRaw(b, e.answered.Data) }
	}
	return o
}
