package mcpgo_test

import (
	"context"
	"fmt"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime/x/mount/mcpgo"
	"github.com/rpcgen-go/rpcgen/test/office"
)

var host = office.Host[*server.MCPServer]{
	New: func() *server.MCPServer {
		s := server.NewMCPServer("old", "1.0.0", server.WithLogging(), server.WithElicitation(), server.WithRoots())
		s.EnableSampling()
		booked := func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return sdk.NewToolResultStructured(map[string]bool{"booked": true}, "booked"), nil
		}
		for n := range 20 {
			s.AddTool(sdk.NewTool(fmt.Sprintf("old_%02d", n), sdk.WithDescription("An old tool."), sdk.WithString("room", sdk.Required()), sdk.WithArray("tags")), booked)
		}
		s.AddPrompt(sdk.NewPrompt("old_prompt"), nil)
		s.AddResource(sdk.NewResource("old://resource", "old"), nil)
		s.AddResourceTemplate(sdk.NewResourceTemplate("old://{name}", "old"), nil)
		return s
	},
	Tool:        func(s *server.MCPServer, name string) { s.AddTool(sdk.NewTool(name), nil) },
	Add:         mcpgo.Add,
	Dial:        mcpgo.Dial,
	Differences: "testdata/differences.txt",
	Inside:      "testdata/inside.txt",
}

func TestHost(t *testing.T) { host.Run(t) }

func TestGrowth(t *testing.T) { office.TestGrowth(t) }

func BenchmarkCalls(b *testing.B) { host.Bench(b) }
