package rpchttp_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

// A server wants a token with every request, and a client sends one.
func ExampleServe() {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	handler := rpchttp.NewHandler(weather.NewHandler(office.Office{}), rpchttp.Options{
		Auth: rpchttp.Tokens(map[string]string{"secret": "ann"}),
	})
	go func() { served <- rpchttp.Serve(ctx, l, "/rpc", handler) }()

	for _, token := range []string{"secret", "guess"} {
		conn, err := rpchttp.Dial("http://"+l.Addr().String()+"/rpc", rpchttp.ClientOptions{Token: rpchttp.StaticToken(token)})
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := weather.NewClient(conn).WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Lagos"})
		if refused, ok := errors.AsType[*rpchttp.StatusError](err); ok {
			fmt.Println(refused.Status)
		} else {
			fmt.Println(report.City, report.Degrees, err)
		}
		conn.Close()
	}

	stop()
	fmt.Println(<-served)
	// Output:
	// Lagos 31 <nil>
	// 401
	// context canceled
}
