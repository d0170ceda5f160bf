// Command shop is an MCP server of a small shop: on standard input and output, or, with -http, at http://ADDR/mcp. It serves clients of both eras
// of the protocol, with a handshake (2025-03-26 to 2025-11-25) and without (2026-07-28), at the same URL.
//
// With -db, the shop is kept in that file, and otherwise in shop/shop.db in the user's folder for configuration, as folders for caches may be
// emptied. A new shop has goods to sell. Several processes may use one file; clients are notified of changes that their own process has made.
//
// What is worth a look:
//
//   - PlaceOrder asks the user with rpc.AskPlaceOrderConfirm, in a session and statelessly alike. A stateless client gets the question as the
//     answer to its request, and sends the request again with the user's answer: until then the handler only reads.
//   - Nothing is bought twice. An order is placed under a key: the one that the caller gives, or mcp.RoundsID, which is the same when a client
//     that got no answer sends its last round again. The key that signs what clients carry between rounds is kept with the goods, so that
//     they can go on after a restart of the server.
//   - search_items has a rate in the schema, and limits.go has one for each principal. SHOP_TOKENS="secret=ann hidden=bob" gives the principals
//     of bearer tokens over HTTP; without it, clients are distinguished by their addresses.
//   - browse_items returns whole items in Go. Its view gives a caller the members that it asks for, within 4,000 bytes: a longer list is cut, and
//     goes on with the cursor that the caller gets.
//   - The answers of item_details are kept for a second, in a store of ottercache, and dropped when an order or new goods change the stock.
//   - ExportStock runs as a task for clients that can take one (task: optional): its handler is like any other, and mcp.Progress becomes the
//     state of the task. "go run ./client export" follows it; a client that has lost its connection finds the task again by its id.
//   - Errors that the schema declares, such as OutOfStock, are results for the model and typed errors for the client.
//   - Clients that subscribe to an item, an order or the catalogue are notified when an order or new goods change it.
//
// The folder store has the database, with one transaction for each change, and client has a program that calls the shop by the generated client.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache"

	"github.com/rpcgen-go/rpcgen/examples/shop/store"
)

func main() {
	address := flag.String("http", "", "serve HTTP at this address, such as localhost:4000, in place of standard input and output")
	file := flag.String("db", "", "the `file` that holds the shop (default: shop/shop.db in the user's folder for configuration)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *file, *address); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// run serves the shop in a file until ctx ends, or the standard input.
func run(ctx context.Context, file, address string) error {
	if file == "" {
		var err error
		if file, err = usualFile(); err != nil {
			return err
		}
	}
	s, err := store.Open(ctx, file)
	if err != nil {
		return err
	}
	defer s.Close()
	results, err := ottercache.New(8 << 20)
	if err != nil {
		return err
	}
	defer results.Close()
	server, err := newServer(ctx, s, results, mcp.Options{})
	if err != nil {
		return err
	}
	defer endTasks(server)
	if address == "" {
		return stdio.Serve(ctx, server)
	}
	return serveHTTP(ctx, server, address)
}

// endTasks cancels what still runs as a task, before the store is closed.
func endTasks(server *mcp.Server) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "shop: a task does not end:", err)
	}
}

// serveHTTP serves at an address, which it tells on the standard error.
func serveHTTP(ctx context.Context, server *mcp.Server, address string) error {
	o, err := httpOptions(rates(), os.Getenv("SHOP_TOKENS"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "shop: http://%s/mcp\n", l.Addr())
	return mcphttp.Serve(ctx, l, "/mcp", mcphttp.NewHandler(server, o))
}

// usualFile returns where the shop is kept when nobody says where. Folders for caches are not a place for it: they may be emptied.
func usualFile() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("%w; say with -db where the shop is to be kept", err)
	}
	folder := filepath.Join(config, "shop")
	return filepath.Join(folder, "shop.db"), os.MkdirAll(folder, 0o700)
}
