// Command shop is an MCP server of a small shop: on standard input and output, or, with -http, at http://ADDR/mcp. Clients of both eras
// of the protocol are served. The shop is kept in an SQLite database; a new one has a few tools to sell.
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
