package websocket_test

import (
	"context"
	"fmt"
	"net"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
)

// A server listens until its context ends; a client dials, and is sent an alert.
func ExampleServe() {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	handler := websocket.NewHandler(weather.NewHandler(office.Office{}), websocket.Options{MaxConnsPerClient: 10})
	go func() { served <- websocket.Serve(ctx, l, "/ws", handler) }()

	alerts := make(watcher, 1)
	url := "ws://" + l.Addr().String() + "/ws"
	conn, err := websocket.Dial(context.Background(), url, weather.NewCallbackHandler(alerts), websocket.ClientOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := weather.NewClient(conn)
	report, err := client.WeatherCurrent(context.Background(), weather.WeatherCurrentParams{City: "Lagos"})
	fmt.Println(report.City, report.Degrees, err)
	err = client.WeatherWatch(context.Background(), weather.WeatherWatchParams{City: "Lagos"})
	fmt.Println((<-alerts).Text, err)
	conn.Close()
	conn.Wait()

	stop()
	fmt.Println(<-served)
	// Output:
	// Lagos 31 <nil>
	// storm from the west <nil>
	// context canceled
}

// watcher takes alerts; it implements [weather.Callbacks].
type watcher chan weather.WeatherAlertParams

func (w watcher) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	w <- p
	return nil
}
