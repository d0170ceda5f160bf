package runtime

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/report"
)

// InvalidParams returns a [Coder] that answers -32602 Invalid params with the given violations. The
// argument dropped is the number of further violations that were found but not kept. It is for
// handlers that decode a part of their params themselves.
func InvalidParams(violations []violation.Violation, dropped int) error {
	return &invalidParams{&violation.Error{Violations: violations, Dropped: dropped}}
}

type invalidParams struct{ broken *violation.Error }

func (e *invalidParams) Error() string { return e.broken.Error() }
func (e *invalidParams) Unwrap() error { return e.broken }

func (e *invalidParams) RPCError() ErrorObject {
	return ErrorObject{Code: CodeInvalidParams, Message: "Invalid params", AppendData: func(b []byte) []byte {
		return append(report.Append(b, e.broken.Violations, e.broken.Dropped, ""), '}')
	}}
}
