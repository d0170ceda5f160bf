package mcpgo_test

import (
	"context"
	"fmt"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/mcpgo"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

func addRooms(s *server.MCPServer, rooms rpc.Server) error {
	return mcpgo.Add(s, rpc.NewServer(rooms, mcp.Options{}), mcpgo.Options{})
}

func connect(ctx context.Context, s *server.MCPServer) (*mcpclient.Client, error) {
	return mcpclient.Connect(ctx, mcpgo.Dial(s), mcpclient.Options{})
}

func offerOld(old *server.MCPServer, rooms rpc.Server) (*mcp.Server, *mount.Upstreams, error) {
	up, err := mount.NewUpstreams(mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: mcpgo.Dial(old)})
	if err != nil {
		return nil, nil, err
	}
	return rpc.NewServer(rooms, mcp.Options{Dynamic: up}), up, nil
}

func Example_upstream() {
	old := server.NewMCPServer("old", "1.0.0")
	old.AddTool(sdk.NewTool("greet"), func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return sdk.NewToolResultText("Hello"), nil
	})
	both, up, err := offerOld(old, &office.Server{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer up.Close()
	if err := up.Ready(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	client, err := mcpclient.Connect(context.Background(), mcpclient.InMemory(both), mcpclient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	result, err := client.CallTool(context.Background(), "greet", runtime.Raw{})
	fmt.Println(result.Content[0].(*mcp.TextContent).Text, err)
	booked, err := rpc.NewClient(client).Book(context.Background(), rpc.BookInput{Room: "Bell"})
	fmt.Println(booked.Room.Name, err)
	// Output:
	// Hello <nil>
	// Bell <nil>
}

func Example() {
	s := server.NewMCPServer("old", "1.0.0")
	if err := addRooms(s, &office.Server{}); err != nil {
		fmt.Println(err)
		return
	}
	client, err := connect(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	booked, err := rpc.NewClient(client).Book(context.Background(), rpc.BookInput{Room: "Bell"})
	fmt.Println(booked.ID, booked.Room.Name, err)
	_, err = rpc.NewClient(client).Book(context.Background(), rpc.BookInput{Room: "Atlas"})
	fmt.Println(err)
	// Output:
	// 9007199254740993 Bell <nil>
	// Atlas is taken until 2030-01-02T03:04:05Z
}
