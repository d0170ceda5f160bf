package scopes_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/test/scopes/desk"
	"github.com/rpcgen-go/rpcgen/test/scopes/till"
)

// countOwners counts the calls of methods by who owns them.
func countOwners(counts map[string]int) runtime.Middleware {
	return func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			if owner, ok := till.OwnerOfMethod(c.Method()); ok {
				counts[owner]++
			}
			next(ctx, c)
		}
	}
}

// TestExposeMethods: middleware asks what a method has below an exposed key, also within a batch, and of methods that have nothing.
func TestExposeMethods(t *testing.T) {
	counts := map[string]int{}
	d := runtime.NewDispatcher(till.NewHandler(new(counter)), runtime.Options{Logger: quiet, Middleware: []runtime.Middleware{countOwners(counts)}})
	ctx := principal.WithScopes(t.Context(), "pay:write", "pay:read")
	for _, message := range []string{pay, "[" + pay + "," + look + "," + note + "]", strings.Replace(look, "look", "unknown", 1)} {
		d.Dispatch(ctx, nil, []byte(message))
	}
	if want := map[string]int{"billing": 2}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	if tier, ok := till.TierOfMethod(till.MethodPay); tier != 1 || !ok {
		t.Error(tier, ok)
	}
	if tier, ok := till.TierOfMethod(till.MethodLook); tier != 0 || ok {
		t.Error(tier, ok)
	}
}

// TestExposeTools: middleware of MCP asks the same of tools.
func TestExposeTools(t *testing.T) {
	counts := map[string]int{}
	server := desk.NewServer(new(clerk), mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if owner, ok := desk.OwnerOfTool(q.Name()); ok {
				counts[owner]++
			}
			return next(ctx, q)
		}
	}}})
	c := dial(t, mcpclient.InMemory(server), principal.WithScopes(t.Context(), "pay:write"), mcp.Revision20260728)
	client := desk.NewClient(c)
	if _, err := client.Pay(t.Context(), desk.PayInput{Amount: 1}); err != nil {
		t.Error(err)
	}
	if _, err := client.Look(t.Context()); err != nil {
		t.Error(err)
	}
	if want := map[string]int{"billing": 1}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}
