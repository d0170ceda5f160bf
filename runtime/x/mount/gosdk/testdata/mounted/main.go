// A server of the SDK with one tool, and the entries of a generated server.
package main

import (
	"context"
	"log"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/gosdk"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

type in struct {
	Room string `json:"room"`
}

func main() {
	server := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "old"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	if err := gosdk.Add(server, rpc.NewServer(rpc.UnimplementedServer{}, mcp.Options{}), gosdk.Options{}); err != nil {
		log.Fatal(err)
	}
	if err := server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
