// Command client calls the shop by its generated client: at a URL, or, without one, a server that it starts.
//
//	go run ./client search hammer
//	go run ./client order HAM-0001 2
//	go run ./client orders
//	go run ./client export
//	go run ./client -url http://localhost:4000/mcp watch HAM-0001
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

func main() {
	url := flag.String("url", "", "where the shop is, such as http://localhost:4000/mcp (default: it is started)")
	server := flag.String("server", "go run github.com/rpcgen-go/rpcgen/examples/shop", "the `command` that starts it")
	flag.Usage = usage
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, dialer(*url, *server), flag.Args()); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: client [flags] search WORDS | order SKU COUNT | orders | cancel ORDER | export | watch SKU")
	flag.PrintDefaults()
}

// dialer returns how the shop is reached.
func dialer(url, server string) mcpclient.Dialer {
	if url != "" {
		return mcphttp.Dial(url, mcphttp.ClientOptions{})
	}
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		words := strings.Fields(server)
		return stdio.Command(ctx, exec.Command(words[0], words[1:]...), inbound)
	}
}

func run(ctx context.Context, dial mcpclient.Dialer, args []string) error {
	if len(args) == 0 {
		usage()
		return errors.New("what is to be done?")
	}
	conn, err := mcpclient.Connect(ctx, dial, mcpclient.Options{
		Name: "shop-client", Version: "1.0.0",
		OnElicit: confirm,
		OnResourceUpdated: func(_ context.Context, uri string) {
			fmt.Println("changed:", uri)
		},
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	err = do(ctx, conn, rpc.NewClient(conn), args[0], args[1:])
	if out, ok := errors.AsType[*rpc.OutOfStockError](err); ok {
		return fmt.Errorf("only %d left in %s", out.Left, out.Region)
	}
	return err
}

func do(ctx context.Context, conn *mcpclient.Client, c *rpc.Client, what string, args []string) error {
	switch {
	case what == "search" && len(args) > 0:
		return search(ctx, c, strings.Join(args, " "))
	case what == "order" && len(args) == 2:
		return order(ctx, c, rpc.Sku(args[0]), args[1])
	case what == "orders" && len(args) == 0:
		return orders(ctx, c)
	case what == "cancel" && len(args) == 1:
		out, err := c.CancelOrder(ctx, rpc.CancelOrderInput{OrderID: rpc.OrderID(args[0])})
		return show(err, out.Order)
	case what == "export" && len(args) == 0:
		return export(ctx, c)
	case what == "watch" && len(args) == 1:
		return watch(ctx, conn, c, rpc.Sku(args[0]))
	}
	usage()
	return fmt.Errorf("%q is not understood", what)
}

func search(ctx context.Context, c *rpc.Client, words string) error {
	out, err := c.SearchItems(ctx, rpc.SearchItemsInput{Query: words, Limit: 20})
	for _, i := range out.Items {
		fmt.Printf("%s  %-28s %8.2f  %d in stock\n", i.Sku, i.Name, float64(i.Cents)/100, i.Stock)
	}
	return err
}

func order(ctx context.Context, c *rpc.Client, sku rpc.Sku, count string) error {
	in := rpc.DefaultPlaceOrderInput()
	in.Sku = sku
	if _, err := fmt.Sscan(count, &in.Count); err != nil {
		return fmt.Errorf("%q is not a number of items", count)
	}
	out, err := c.PlaceOrder(ctx, in)
	return show(err, out.Order)
}

func orders(ctx context.Context, c *rpc.Client) error {
	out, err := c.ListOrders(ctx, rpc.DefaultListOrdersInput())
	return show(err, out.Orders...)
}

func show(err error, all ...rpc.Order) error {
	if err != nil {
		return err
	}
	for _, o := range all {
		fmt.Printf("%s  %3d x %-28s %8.2f  %s\n", o.ID, o.Count, o.Name, float64(o.Cents)/100, o.Status)
	}
	return nil
}

// export writes the stock as CSV, which the shop makes as a task, and the state of the task while it runs.
func export(ctx context.Context, c *rpc.Client) error {
	task, err := c.StartExportStock(ctx)
	if err != nil {
		return err
	}
	for state, err := range task.Updates(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, state.Status, state.Message)
	}
	out, err := task.Run(ctx)
	fmt.Print(out.Csv)
	return err
}

// watch tells of an item until the program is interrupted.
func watch(ctx context.Context, conn *mcpclient.Client, c *rpc.Client, sku rpc.Sku) error {
	item, err := c.ReadItem(ctx, rpc.ItemParams{Sku: sku})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d in stock\n", item.Name, item.Stock)
	listening, err := conn.Listen(ctx, mcpclient.Changes{URIs: []string{rpc.ItemURI(rpc.ItemParams{Sku: sku})}})
	if err != nil {
		return err
	}
	defer listening.Close()
	select {
	case <-ctx.Done():
	case <-listening.Done():
	}
	return listening.Err()
}

// confirm puts the shop's question to the user.
func confirm(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	fmt.Print(p.Message, " [y/N] ")
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return mcp.ElicitResult{Action: "cancel"}, nil
	}
	yes := strings.EqualFold(strings.TrimSpace(answer), "y")
	return mcpclient.AcceptForm(&rpc.PlaceOrderConfirmForm{Ok: yes})
}
