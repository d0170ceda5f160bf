package office

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Front returns a server without entries of its own, which has those of its Dynamic.
func Front(d mcp.Dynamic) *mcp.Server {
	return mcp.NewServer(nothing{}, mcp.Options{Logger: Options.Logger, Dynamic: d})
}

// nothing declares nothing.
type nothing struct{}

// Info implements [mcp.Declarations].
func (nothing) Info() *mcp.Info { return &mcp.Info{Name: "front", Version: "1.0.0"} }

// CallTool implements [mcp.Declarations].
func (nothing) CallTool(_ context.Context, c *mcp.ToolCall) { c.NotFound("") }

// ReadResource implements [mcp.Declarations].
func (nothing) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound("") }

// GetPrompt implements [mcp.Declarations].
func (nothing) GetPrompt(_ context.Context, c *mcp.PromptCall) { c.NotFound("") }

// Complete implements [mcp.Declarations].
func (nothing) Complete(_ context.Context, c *mcp.CompleteCall) { c.NotFound("") }

// Condition implements [mcp.Declarations].
func (nothing) Condition(runtime.Condition) error { return nil }

// Methods implements [mcp.Declarations].
func (nothing) Methods() runtime.Handler { return nil }
