package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

// A server listens until its context ends; a client dials.
func ExampleServe() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- tcp.Serve(ctx, l, weather.NewHandler(office.Office{}), tcp.WithMaxConns(10)) }()

	conn, err := tcp.Dial(context.Background(), l.Addr().String(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := weather.NewClient(conn).WeatherCurrent(context.Background(), weather.WeatherCurrentParams{City: "Lagos"})
	fmt.Println(report.City, report.Degrees, err)
	conn.Close()

	stop()
	fmt.Println(errors.Is(<-served, context.Canceled))
	// Output:
	// Lagos 31 <nil>
	// true
}
