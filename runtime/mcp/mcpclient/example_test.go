package mcpclient_test

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// A client finds out which era a server is of. Without a generated client, it lists the tools.
func ExampleConnect() {
	ctx := context.Background()
	server := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{})
	conn, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{Name: "reader", Version: "1.0.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Println(conn.Era())
	for tool, err := range conn.ListTools(ctx) {
		fmt.Println(tool.Name, err)
	}
	// Output:
	// stateless
	// search_items <nil>
	// place_order <nil>
	// reserve <nil>
	// cancel_all <nil>
	// count_stock <nil>
	// look_up <nil>
	// picture <nil>
	// chart <nil>
	// draw <nil>
	// related <nil>
	// introduce <nil>
	// label <nil>
	// frames <nil>
	// explain <nil>
	// measure <nil>
	// retire <nil>
}
