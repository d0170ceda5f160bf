// Command gateway is an MCP server that offers the tools, prompts and resources of other servers: on
// standard input and output, or, with -http, at http://ADDR/mcp. Its configuration is a YAML file,
// see gateway.yaml.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/httplog"
)

func main() {
	log.SetOutput(httplog.Filter(os.Stderr))
	file := flag.String("config", "gateway.yaml", "the `file` that names the servers")
	address := flag.String("http", "", "serve HTTP at this address, such as localhost:4000, in place of standard input and output")
	flag.Parse()
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP) // the servers do not get the end of the terminal
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	if err := run(ctx, *file, *address); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or the standard input.
func run(ctx context.Context, file, address string) error {
	c, err := mount.LoadConfig(file)
	if err != nil {
		return err
	}
	g, err := mount.New(c, mount.Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	defer g.Close()
	const patience = 5 * time.Second // for the first lists; servers that take longer are added later
	starting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := g.Ready(starting); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
	}
	if address == "" {
		return stdio.Serve(ctx, g.Server())
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "gateway: http://%s/mcp\n", l.Addr())
	return mcphttp.Serve(ctx, l, "/mcp", g.HTTP(mcphttp.Options{}))
}
