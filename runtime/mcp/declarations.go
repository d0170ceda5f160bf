package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpgen"
)

// Declarations is what generated code says of a server, and how it calls the server's methods. All methods may be called by many
// goroutines.
type Declarations interface {
	// Info returns what is constant. It is asked once, by [NewServer].
	Info() *Info

	// CallTool calls a tool, and answers c.
	CallTool(ctx context.Context, c *ToolCall)

	// ReadResource reads a resource, and answers c.
	ReadResource(ctx context.Context, c *ResourceCall)

	// GetPrompt makes a prompt, and answers c.
	GetPrompt(ctx context.Context, c *PromptCall)

	// Complete completes an argument, and answers c.
	Complete(ctx context.Context, c *CompleteCall)

	// Condition returns the error that the schema declares for c, also for what the transport refuses; nil: none.
	Condition(c runtime.Condition) error

	// Methods returns the handler of the methods that are not MCP's own; nil: there are none.
	Methods() runtime.Handler
}

// Info is what is constant about a server.
type Info struct {
	Name         string   // server/discover: serverInfo.name
	Version      string   // of the server
	Title        string   // for people; empty: none
	Instructions string   // for models: how to use the server; empty: none
	Icons        string   // a JSON array of Icon; empty: none
	Revisions    []string // of the protocol that are served, oldest first; none: all of them

	TTLMs int64  // how long lists and resources stay fresh, in milliseconds (server/utilities/caching)
	Scope string // who may cache them: public or private; empty: private

	Tools     string // a JSON array of Tool, in the order of the schema; empty: no tools, and no such capability
	Resources string // a JSON array of Resource; empty: none
	Templates string // a JSON array of ResourceTemplate; empty: none
	Prompts   string // a JSON array of Prompt; empty: none

	Completions bool // arguments can be completed
	Subscribe   bool // resources can be subscribed to

	Headers []mcpgen.ToolHeader // what tools mirror into HTTP headers
}
