package work

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// Failure is the error of an answer.
type Failure struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// ParamsData says what is wrong with params.
type ParamsData struct {
	Detail     string      `json:"detail"`
	Violations []Violation `json:"violations"`
}

// Violation is one thing that is wrong.
type Violation struct {
	Pointer  string `json:"pointer"`
	Rule     string `json:"rule,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	Closest  string `json:"closest,omitempty"`
}

// Suggestion names the method that was meant.
type Suggestion struct {
	Suggestion string `json:"suggestion"`
}

// The failures without data.
var (
	ParseError     = &Failure{Code: -32700, Message: "Parse error"}
	InvalidRequest = &Failure{Code: -32600, Message: "Invalid Request"}
	Internal       = &Failure{Code: -32603, Message: "Internal error"}
)

// InvalidParams returns the failure for params that break rules.
func InvalidParams(vs *rule.Violations) *Failure {
	all := vs.All()
	d := &ParamsData{Detail: all[0].String(), Violations: make([]Violation, len(all))}
	if more := len(all) - 1; more > 0 {
		d.Detail += " (and " + strconv.Itoa(more) + " more)"
	}
	for i, v := range all {
		d.Violations[i] = Violation(v)
	}
	return &Failure{Code: -32602, Message: "Invalid params", Data: d}
}

// BadParams returns the failure for params that could not be read.
func BadParams(err error) *Failure {
	return &Failure{Code: -32602, Message: "Invalid params", Data: &ParamsData{Detail: err.Error()}}
}

// MethodNotFound returns the failure for a method that is not there.
func MethodNotFound(method string) *Failure {
	f := &Failure{Code: -32601, Message: "Method not found"}
	if near := violation.Closest(method, Methods); near != "" {
		f.Data = &Suggestion{near}
	}
	return f
}

// UnknownTool returns the failure for a tool that is not there.
func UnknownTool(name string) *Failure {
	f := &Failure{Code: -32602, Message: "Unknown tool: " + name}
	if near := violation.Closest(name, []string{ToolCurrent}); near != "" {
		f.Data = &Suggestion{near}
	}
	return f
}
