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

	alerts := weather.NewCallbackHandler(printer{})
	conn, err := websocket.Dial(context.Background(), "ws://"+l.Addr().String()+"/ws", alerts, websocket.ClientOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := weather.NewClient(conn)
	report, err := client.WeatherCurrent(context.Background(), weather.WeatherCurrentParams{City: "Lagos"})
	fmt.Println(report.City, report.Degrees, err)
	fmt.Println(client.WeatherWatch(context.Background(), weather.WeatherWatchParams{City: "Lagos"}))
	conn.Close()
	conn.Wait()

	stop()
	fmt.Println(<-served)
	// Output:
	// Lagos 31 <nil>
	// severity 4: storm from the west
	// <nil>
	// context canceled
}

// printer implements [weather.Callbacks].
type printer struct{}

func (printer) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	fmt.Printf("severity %d: %s\n", p.Severity, p.Text)
	return nil
}
