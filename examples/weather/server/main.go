// Command server serves the weather schema on standard input and output, or on TCP.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

func main() {
	framing := flag.String("framing", "line", "how messages are framed: `line` or header")
	address := flag.String("tcp", "", "listen on this `address` in place of standard input and output")
	flag.Parse()
	framings := map[string]frame.Framing{"line": frame.Lines, "header": frame.Headers}
	chosen, known := framings[*framing]
	if !known || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, chosen, *address); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "weather:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, framing frame.Framing, address string) error {
	handler := weather.NewHandler(office.Office{})
	if address == "" {
		return stdio.Serve(ctx, handler, stdio.WithFraming(framing))
	}
	return tcp.ListenAndServe(ctx, address, handler, tcp.WithFraming(framing))
}
