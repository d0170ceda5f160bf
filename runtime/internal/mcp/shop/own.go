package shop

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// OwnMethods is the handler of a schema that has the method shop/echo.
type OwnMethods struct{}

// Protocol implements runtime.Handler, as do the methods after it.
func (OwnMethods) Protocol() runtime.Protocol { return runtime.Protocol{} }

// Condition knows no conditions.
func (OwnMethods) Condition(runtime.Condition) error { return nil }

// Hooks has none.
func (OwnMethods) Hooks() runtime.Hooks { return runtime.Hooks{} }

// Handle serves shop/echo.
func (OwnMethods) Handle(_ context.Context, c *runtime.Call) {
	const keys = "text\n_meta"
	if c.Method() != "shop/echo" {
		c.MethodNotFound("shop/echo")
		return
	}
	var text string
	for c.Params(keys) {
		r := c.Reader()
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			r.KeyString(&o, 0, `"text":`, &text)
		}
		r.Need(&o, 1, keys)
	}
	switch {
	case c.Answered():
	case text == "burnt":
		c.Fail(runtime.Answer(-32002, "Resource not found", runtime.Raw{}))
	default:
		c.Return(append(wire.AppendString(append(c.Result(), `{"text":`...), text), '}'))
	}
}
