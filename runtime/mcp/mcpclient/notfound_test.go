package mcpclient_test

import (
	"errors"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestNotFound reads a resource that is not there: the error is the same in every revision, and still the one that was answered.
func TestNotFound(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		c := connect(t, &shop.Shop{Change: change}, mcp.Options{}, answering())
		_, err := c.ReadResource(t.Context(), "shop://nowhere/at/all")
		if _, answered := errors.AsType[*runtime.Error](err); !errors.Is(err, mcp.ErrNotFound) || !answered {
			t.Errorf("%T %v", err, err)
		}
		if _, err := c.CallTool(t.Context(), "no_such_tool", runtime.Raw{}); err == nil || errors.Is(err, mcp.ErrNotFound) {
			t.Error("a tool is not a resource:", err)
		}
	})
}
