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

// nothing declares nothing: it implements [mcp.Declarations].
type nothing struct{}

func (nothing) Info() *mcp.Info { return &mcp.Info{Name: "front", Version: "1.0.0"} }

func (nothing) CallTool(_ context.Context, c *mcp.ToolCall) { c.NotFound("") }

func (nothing) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound("") }

func (nothing) GetPrompt(_ context.Context, c *mcp.PromptCall) { c.NotFound("") }

func (nothing) Complete(_ context.Context, c *mcp.CompleteCall) { c.NotFound("") }

func (nothing) Condition(runtime.Condition) error { return nil }

func (nothing) Methods() runtime.Handler { return nil }
