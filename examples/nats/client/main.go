// Command client makes calls of every kind to the weather servers over NATS, and prints them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/examples/weather/tour"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/natsrpc"
)

func main() {
	url := flag.String("nats", nats.DefaultURL, "connect to NATS at this `URL`")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, *url); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string) error {
	nc, err := nats.Connect(url, nats.Name("weather client"))
	if err != nil {
		return fmt.Errorf("NATS at %s: %w", url, err)
	}
	defer nc.Close()
	alerts := make(tour.Watcher, 1)
	conn, err := natsrpc.Dial(nc, "weather", weather.NewCallbackHandler(alerts), natsrpc.ClientOptions{Idempotent: weather.Idempotent})
	if err != nil {
		return err
	}
	defer conn.Close()
	return tour.Run(ctx, weather.NewClient(conn), alerts)
}
