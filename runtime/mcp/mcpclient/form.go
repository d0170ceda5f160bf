package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// AcceptForm returns the result of [Options.OnElicit] for a user who has filled in a form. The
// argument form has the type that is generated for it, such as PlaceOrderConfirmForm. The error
// holds the violations of its rules.
func AcceptForm(form wire.Appender) (result mcp.ElicitResult, err error) {
	if c, ok := form.(violation.Checker); ok {
		if err := violation.Validate(c); err != nil {
			return result, err
		}
	}
	content, err := wire.Marshal(form)
	if err != nil {
		return result, err
	}
	b := append([]byte(`{"action":"accept","content":`), content...)
	return result, wire.Unmarshal(append(b, '}'), result.DecodeJSON, nil)
}
