package natsrpc_test

import (
	"context"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/natsrpc"
)

// Three servers share the calls of a subject; a client calls them, and is sent an alert by the one that it asked.
func ExampleServe() {
	url, stopNATS := startNATS() // a process of its own, in production
	defer stopNATS()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nc.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 3)
	for range 3 {
		go func() {
			served <- natsrpc.Serve(ctx, nc, weather.NewHandler(office.Office{}), natsrpc.Options{Subject: "weather", Version: "1.0.0"})
		}()
	}

	alerts := make(watcher, 1)
	conn, err := natsrpc.Dial(nc, "weather", weather.NewCallbackHandler(alerts), natsrpc.ClientOptions{Idempotent: weather.Idempotent})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	client := weather.NewClient(conn)
	report, err := client.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Lagos"})
	fmt.Println(report.City, report.Degrees, err)
	err = client.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Lagos"})
	fmt.Println((<-alerts).Text, err)

	stop()
	for range 3 {
		fmt.Println(<-served)
	}
	// Output:
	// Lagos 31 <nil>
	// storm from the west <nil>
	// context canceled
	// context canceled
	// context canceled
}

// watcher takes alerts; it implements [weather.Callbacks].
type watcher chan weather.WeatherAlertParams

func (w watcher) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	w <- p
	return nil
}

// startNATS starts a NATS server in this process.
func startNATS() (url string, stop func()) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		panic(err)
	}
	s.Start()
	return s.ClientURL(), func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
}
