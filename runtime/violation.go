package runtime

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/report"
)

type (
	// Violation is one violation of a rule of a schema: where, which rule, what is allowed and what was found.
	Violation = violation.Violation

	// Violations collects the violations of one value. Types that check themselves report to it.
	Violations = violation.List

	// RuleError holds the violations of a value: the error of [Validate].
	RuleError = violation.Error
)

// Validate checks a value of a generated type that has rules. The error is nil or a [*RuleError].
func Validate(v interface{ CheckRules(*Violations) }) error { return violation.Validate(v) }

// InvalidParams returns a [Coder] that answers -32602 Invalid params with the given violations. The
// argument dropped is the number of further violations that were found but not kept. It is for
// handlers that decode a part of their params themselves.
func InvalidParams(violations []Violation, dropped int) error {
	return &invalidParams{&RuleError{Violations: violations, Dropped: dropped}}
}

type invalidParams struct{ broken *RuleError }

func (e *invalidParams) Error() string { return e.broken.Error() }
func (e *invalidParams) Unwrap() error { return e.broken }

func (e *invalidParams) RPCError() ErrorObject {
	return ErrorObject{Code: CodeInvalidParams, Message: "Invalid params", AppendData: func(b []byte) []byte {
		return append(report.Append(b, e.broken.Violations, e.broken.Dropped, ""), '}')
	}}
}
