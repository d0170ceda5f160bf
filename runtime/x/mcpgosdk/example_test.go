package mcpgosdk_test

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	rpc "github.com/rpcgen-go/rpcgen/generated/office"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpgosdk"
	"github.com/rpcgen-go/rpcgen/test/office"
)

func addRooms(server *sdk.Server, rooms rpc.Server) error {
	return mcpgosdk.Add(server, rpc.NewServer(rooms, mcp.Options{}), mcpgosdk.Options{Only: []string{"book"}, Replace: true})
}

func connect(ctx context.Context, server *sdk.Server) (*mcpclient.Client, error) {
	return mcpclient.Connect(ctx, mcpgosdk.Dial(server), mcpclient.Options{})
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
