package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
)

// Info holds the constant properties of a server.
type Info struct {
	Name         string   // serverInfo.name of server/discover
	Version      string   // version of the server
	Title        string   // for people; empty means none
	Description  string   // what the server is for; empty means none
	Website      string   // URL of its home page; empty means none
	Instructions string   // for models: how to use the server; empty means none
	Icons        string   // JSON array of Icon; empty means none
	Revisions    []string // revisions that are served, oldest first; empty means all

	TTLMs int64  // how long lists and resources stay fresh, in milliseconds (server/utilities/caching)
	Scope string // who may cache them: public or private; empty means private

	Tools     string           // JSON array of Tool in the order of the schema; empty means no tools and no capability
	Profiles  []mcpgen.Profile // further listings of the tools, see [Options.Profile]
	Resources string           // JSON array of Resource; empty means none
	Templates string           // JSON array of ResourceTemplate; empty means none
	Prompts   string           // JSON array of Prompt; empty means none

	Tasks map[string]bool // tools that run as tasks; true means that they run as nothing else (SEP-2663)

	Permit func(ctx context.Context, c *runtime.Call, tool string) // answers calls that their principal may not make; nil allows all

	Completions bool // arguments can be completed
	Subscribe   bool // clients can subscribe to resources

	Limiter runtime.Middleware // limits of rates that the schema declares; nil means none

	ReservedCodes []int64 // codes that JSON-RPC or MCP reserve and that errors of the schema have on purpose

	Headers []mcpgen.ToolHeader // arguments of tools that are mirrored into HTTP headers
}
