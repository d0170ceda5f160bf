package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// toolShop serves a part of what toolbox declares; the generated package has the interface.
type toolShop struct{ toolbox.UnimplementedServer }

func (toolShop) SearchItems(ctx context.Context, in toolbox.SearchItemsInput) (out toolbox.SearchItemsOutput, err error) {
	mcp.Progress(ctx, 1, 2, "looking for "+in.Query)
	out.Items = append(out.Items, toolbox.Item{Sku: "SAW-0001", Name: "Saw", Cents: 1999})
	return out, nil
}

// PlaceOrder asks the user before it acts.
func (toolShop) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	if err != nil {
		return toolbox.PlaceOrderOutput{}, err
	}
	if !form.Ok {
		return toolbox.PlaceOrderOutput{}, &toolbox.OutOfStockError{Sku: in.Sku}
	}
	return toolbox.PlaceOrderOutput{OrderID: strings.ToLower(string(in.Sku))}, nil
}

// A server is made of an implementation of the generated interface. Clients of every revision can use it.
func ExampleNewServer() {
	ctx := context.Background()
	server := toolbox.NewServer(toolShop{}, mcp.Options{})
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		conn, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{Era: era})
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := toolbox.NewClient(conn).SearchItems(ctx, toolbox.SearchItemsInput{Query: "saw", Limit: 1})
		fmt.Println(era, out.Items[0].Name, err)
		conn.Close()
	}
	// Output:
	// handshake Saw <nil>
	// stateless Saw <nil>
}

// A tool asks the user. In a session that is a request to the client; a stateless client repeats its call with the answer, and the method
// runs again.
func ExampleElicitForm() {
	ctx := context.Background()
	server := toolbox.NewServer(toolShop{}, mcp.Options{})
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		conn, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{
			Era: era,
			OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				fmt.Println(p.Message)
				return mcpclient.AcceptForm(&toolbox.PlaceOrderConfirmForm{Ok: true})
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		order, err := toolbox.NewClient(conn).PlaceOrder(ctx, toolbox.PlaceOrderInput{Sku: "SAW-0001", Count: 2})
		fmt.Println(order.OrderID, err)
		conn.Close()
	}
	// Output:
	// Order 2 x SAW-0001?
	// saw-0001 <nil>
	// Order 2 x SAW-0001?
	// saw-0001 <nil>
}

// Middleware sees every request that is served.
func ExampleMiddleware() {
	ctx := context.Background()
	note := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			fmt.Println(q.Method(), q.Name())
			return next(ctx, q)
		}
	}
	server := toolbox.NewServer(toolShop{}, mcp.Options{Middleware: []mcp.Middleware{note}})
	conn, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{Era: mcp.Stateless})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	_, err = toolbox.NewClient(conn).SearchItems(ctx, toolbox.SearchItemsInput{Query: "saw", Limit: 1})
	fmt.Println(err)
	_, err = toolbox.NewClient(conn).LookUp(ctx, toolbox.Query{Text: "saw"})
	if failure, ok := errors.AsType[*mcpclient.ToolFailure](err); ok {
		fmt.Println(failure)
	}
	// Output:
	// tools/call search_items
	// <nil>
	// tools/call look_up
	// the tool look_up failed: This tool is not implemented.
}
