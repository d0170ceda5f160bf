package mcpmark3_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/server"

	rpc "github.com/rpcgen-go/rpcgen/generated/office"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpmark3"
	"github.com/rpcgen-go/rpcgen/test/office"
)

func addRooms(s *server.MCPServer, rooms rpc.Server) error {
	return mcpmark3.Add(s, rpc.NewServer(rooms, mcp.Options{}), mcpmark3.Options{})
}

func connect(ctx context.Context, s *server.MCPServer) (*mcpclient.Client, error) {
	return mcpclient.Connect(ctx, mcpmark3.Dial(s), mcpclient.Options{})
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
