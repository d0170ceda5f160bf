// Package scope compares the scopes of principals with those that a schema names. Only servers whose schema names some link it.
//
//test:by ./test/scopes
package scope

import (
	"context"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Needs are the scopes that callers need, by the names of methods and tools.
type Needs struct{ Methods, Tools map[string][]string }

// Method is a [runtime.Middleware] that answers calls of methods whose principal lacks scopes, see [runtime.Hooks].
func (n Needs) Method(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(ctx context.Context, c *runtime.Call) {
		permit(ctx, c, c.Method(), n.Methods[c.Method()])
		next(ctx, c)
	}
}

// Tool answers a call of a tool whose principal lacks scopes.
func (n Needs) Tool(ctx context.Context, c *runtime.Call, tool string) {
	permit(ctx, c, tool, n.Tools[tool])
}

// permit answers with the condition Forbidden if the principal of ctx lacks one of the scopes.
func permit(ctx context.Context, c *runtime.Call, name string, scopes []string) {
	has := principal.Scopes(ctx)
	var missing []string
	for _, scope := range scopes {
		if !slices.Contains(has, scope) {
			missing = append(missing, scope)
		}
	}
	if missing != nil {
		c.Condition(runtime.Condition{Kind: when.Forbidden, Method: name, Missing: missing, Scopes: scopes})
	}
}
