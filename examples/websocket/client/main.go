// Command client makes calls of every kind to the weather server over WebSocket, and prints them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/weather/tour"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
)

func main() {
	url := flag.String("ws", "ws://localhost:8081/ws", "reach the server at this `URL`")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, *url); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string) error {
	alerts := make(tour.Watcher, 1)
	conn, err := websocket.Dial(ctx, url, weather.NewCallbackHandler(alerts), websocket.ClientOptions{})
	if err != nil {
		return err
	}
	err = tour.Run(ctx, weather.NewClient(conn), alerts)
	conn.Close()
	return errors.Join(err, conn.Wait())
}
