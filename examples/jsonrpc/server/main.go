// Command server answers the examples of JSON-RPC 2.0, section 7, on standard input and output.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/generated/jsonrpc"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// service implements [jsonrpc.Server].
type service struct{ jsonrpc.UnimplementedServer }

func (service) Subtract(_ context.Context, p jsonrpc.SubtractParams) (int64, error) {
	return p.Minuend - p.Subtrahend, nil
}

func (service) Sum(_ context.Context, numbers []int64) (total int64, err error) {
	for _, n := range numbers {
		total += n
	}
	return total, nil
}

func (service) GetData(context.Context) ([]runtime.Raw, error) {
	return []runtime.Raw{wire.RawOf([]byte(`"hello"`)), wire.RawOf([]byte(`5`))}, nil
}

func (service) Update(context.Context, []int64) error      { return nil }
func (service) NotifyHello(context.Context, []int64) error { return nil }
func (service) NotifySum(context.Context, []int64) error   { return nil }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := stdio.Serve(ctx, jsonrpc.NewHandler(service{})); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "jsonrpc:", err)
		os.Exit(1)
	}
}
