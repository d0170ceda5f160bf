// Command server serves the weather schema over NATS, on the subject weather. Any number of them share the calls.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/natsrpc"
)

// document describes the service in discovery. It is written by rpcgen export --format openrpc examples/weather/weather.rpc.yaml.
//
//go:embed weather.openrpc.json
var document []byte

func main() {
	url := flag.String("nats", nats.DefaultURL, "connect to NATS at this `URL`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *url); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "weather:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string) error {
	nc, err := nats.Connect(url, nats.Name("weather server"), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		return fmt.Errorf("NATS at %s: %w", url, err)
	}
	defer nc.Close()
	return natsrpc.Serve(ctx, nc, weather.NewHandler(office.Office{}), natsrpc.Options{Subject: "weather", Version: "1.0.0", OpenRPC: document})
}
