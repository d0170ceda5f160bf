package gosdk_test

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/gosdk"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

func addRooms(server *sdk.Server, rooms rpc.Server) error {
	return gosdk.Add(server, rpc.NewServer(rooms, mcp.Options{}), gosdk.Options{Only: []string{"book"}, Replace: true})
}

func connect(ctx context.Context, server *sdk.Server) (*mcpclient.Client, error) {
	return mcpclient.Connect(ctx, gosdk.Dial(server), mcpclient.Options{})
}

func offerOld(old *sdk.Server, rooms rpc.Server) (*mcp.Server, *mount.Upstreams, error) {
	up, err := mount.NewUpstreams(mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: gosdk.Dial(old)})
	if err != nil {
		return nil, nil, err
	}
	return rpc.NewServer(rooms, mcp.Options{Dynamic: up}), up, nil
}

func Example_upstream() {
	old := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	old.AddTool(&sdk.Tool{Name: "greet", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello"}}}, nil
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
	server := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	if err := addRooms(server, &office.Server{}); err != nil {
		fmt.Println(err)
		return
	}
	client, err := connect(context.Background(), server)
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
