// Command server serves the weather schema over WebSocket, at /ws.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
)

func main() {
	address := flag.String("ws", "localhost:8081", "serve at this `address`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	handler := websocket.NewHandler(weather.NewHandler(office.Office{}), websocket.Options{})
	if err := websocket.ListenAndServe(ctx, *address, "/ws", handler); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "weather:", err)
		os.Exit(1)
	}
}
