// A server of mcp-go with one tool.
package main

import (
	"context"
	"log"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("old", "1.0.0")
	s.AddTool(sdk.NewTool("old", sdk.WithString("room")), func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return sdk.NewToolResultText("old"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
