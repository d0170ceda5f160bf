// Command server answers the examples of JSON-RPC 2.0, section 7, on standard input and output.
//
//test:by ./test/jsonrpc
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	jsonrpc "github.com/rpcgen-go/rpcgen/test/jsonrpc/rpc"
	"github.com/rpcgen-go/rpcgen/test/jsonrpc/section7"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := stdio.Serve(ctx, jsonrpc.NewHandler(section7.Service{})); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "jsonrpc:", err)
		os.Exit(1)
	}
}
