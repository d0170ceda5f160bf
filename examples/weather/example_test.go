package weather_test

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// A batch is one message with several calls.
func Example_batch() {
	near, far := pipe.New(0)
	server := runtime.NewSession(context.Background(), far, weather.NewHandler(office.Office{}), runtime.Options{})
	conn := runtime.NewSession(context.Background(), near, nil, runtime.Options{})

	b := weather.NewClient(conn).Batch()
	var here, there weather.Report
	oslo := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Oslo", Unit: weather.UnitFahrenheit}, &here)
	atlantis := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Atlantis"}, &there)
	if err := b.Send(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(here.City, here.Degrees, here.Unit, oslo.Err())
	fmt.Println(atlantis.Err())
	conn.Close()
	server.Wait()
	// Output:
	// Oslo 26.6 fahrenheit <nil>
	// city Atlantis not found
}
