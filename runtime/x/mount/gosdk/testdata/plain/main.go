// A server of the SDK with one tool.
package main

import (
	"context"
	"log"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type in struct {
	Room string `json:"room"`
}

func main() {
	server := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "old"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	if err := server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
