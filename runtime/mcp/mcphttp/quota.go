package mcphttp

import (
	"context"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// callerOf returns the client for whom the limits of a request count.
func (h *Handler) callerOf(ctx context.Context, r *http.Request) web.Client {
	return web.ClientOf(mcp.PrincipalFrom(ctx), r, h.o.ClientOf)
}

// conditionRefusal returns the refusal for a condition. The zero Condition is a fault of the program.
func conditionRefusal(cond runtime.Condition) *refusal {
	if cond.Kind == 0 {
		return &refusal{status: http.StatusInternalServerError, text: web.InternalError, code: runtime.CodeInternalError}
	}
	return &refusal{status: web.Status(cond.Kind), condition: cond}
}
