// A server of mcp-go with one tool, and the entries of a generated server.
package main

import (
	"context"
	"log"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/mcpgo"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

func main() {
	s := server.NewMCPServer("old", "1.0.0")
	s.AddTool(sdk.NewTool("old", sdk.WithString("room")), func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return sdk.NewToolResultText("old"), nil
	})
	if err := mcpgo.Add(s, rpc.NewServer(rpc.UnimplementedServer{}, mcp.Options{}), mcpgo.Options{}); err != nil {
		log.Fatal(err)
	}
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
