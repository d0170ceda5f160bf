package mount_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

func offerTools(ctx context.Context, set *mcpdynamic.Set, from *mcpclient.Client) error {
	var all []mcpdynamic.Tool
	for entry, err := range mcpclient.Entries(ctx, from, "tools") {
		if err != nil {
			return err
		}
		var tool struct{ Name string }
		if err := json.Unmarshal([]byte(entry.String()), &tool); err != nil {
			return err
		}
		all = append(all, mcpdynamic.Tool{
			Name: tool.Name, Members: entry, Unchecked: true, // the other server checks the arguments
			Call: func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) {
				result, err := from.CallTool(ctx, tool.Name, arguments)
				return &result, err
			},
		})
	}
	return set.AddTools(all...)
}

// Tools alone need a few lines, without questions, progress and changes of lists.
func Example_tools() {
	ctx := context.Background()
	from, err := mcpclient.Connect(ctx, mcpclient.InMemory(office.New(office.Options)), mcpclient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer from.Close()
	set := mcpdynamic.New(mcpdynamic.Options{})
	server := office.Front(set)
	if err := offerTools(ctx, set, from); err != nil {
		fmt.Println(err)
		return
	}
	client, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	booked, err := rpc.NewClient(client).Book(ctx, rpc.BookInput{Room: "Bell"})
	fmt.Println(booked.ID, booked.Room.Name, err)
	// Output: 9007199254740993 Bell <nil>
}

func takeOver(old mcpclient.Dialer, handlers rpc.Server) (*mcp.Server, *mount.Upstreams, error) {
	up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: slog.New(slog.DiscardHandler)}, mount.Upstream{Name: "old", Dial: old})
	if err != nil {
		return nil, nil, err
	}
	return rpc.NewServer(handlers, mcp.Options{Dynamic: up, Middleware: []mcp.Middleware{up.PassOn}}), up, nil
}

// Handlers that are not written yet are those of the old server.
func ExampleUpstreams_PassOn() {
	ctx := context.Background()
	server, up, err := takeOver(mcpclient.InMemory(office.New(office.Options)), written{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer up.Close()
	client, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	booked, err := rpc.NewClient(client).Book(ctx, rpc.BookInput{Room: "Bell"}) // is written
	fmt.Println(booked.ID, err)
	cleaned, err := rpc.NewClient(client).Clean(ctx) // is not
	fmt.Println(cleaned.Cleaned, err)
	// Output:
	// 7 <nil>
	// 3 <nil>
}
