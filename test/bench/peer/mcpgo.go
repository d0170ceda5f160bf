package peer

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// MCPGo is a server of mark3labs/mcp-go that checks arguments and results against the schemas.
func MCPGo() ToolServer {
	s := server.NewMCPServer("bench", "1.0.0", server.WithTitle("Bench"), server.WithInputSchemaValidation(), server.WithOutputSchemaValidation(),
		server.WithToolCapabilities(false))
	for _, d := range definitions() {
		s.AddTool(mcpGoTool(d), mcp.NewStructuredToolHandler(report))
	}
	return ToolServer{
		Dispatcher: Dispatcher{
			Name: "mcp-go",
			Dispatch: func(ctx context.Context, dst, msg []byte) []byte {
				answer, err := json.Marshal(s.HandleMessage(ctx, msg))
				must(err)
				return append(dst, answer...)
			},
		},
		HTTP: server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithStreamableHTTPLogger(Quiet)),
	}
}

func mcpGoTool(d definition) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema)
	tool.Title, tool.RawOutputSchema = d.Title, d.OutputSchema
	must(json.Unmarshal(d.Annotations, &tool.Annotations))
	return tool
}

// report answers the tool that is called; the others are only listed.
func report(_ context.Context, _ mcp.CallToolRequest, in work.CurrentParams) (work.Report, error) {
	return work.Current(&in), nil
}
