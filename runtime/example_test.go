package runtime_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// station knows the weather of one city. The generated package weather has the interface that it implements.
type station struct{ weather.UnimplementedServer }

func (station) WeatherCurrent(_ context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	if p.City != "Paris" {
		return weather.Report{}, &weather.CityNotFoundError{City: p.City, DidYouMean: []string{"Paris"}}
	}
	return weather.Report{City: p.City, Degrees: 14.5, Unit: p.Unit}, nil
}

// WeatherWatch calls the client back.
func (station) WeatherWatch(ctx context.Context, p weather.WeatherWatchParams) error {
	client := weather.NewCallbackClient(runtime.PeerFrom(ctx))
	return client.WeatherAlert(ctx, weather.WeatherAlertParams{City: p.City, Text: "storm", Severity: 4})
}

// alerts implements what the server calls.
type alerts chan weather.WeatherAlertParams

func (a alerts) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	a <- p
	return nil
}

// A dispatcher serves messages that come from anywhere, such as the body of a request over HTTP.
func ExampleDispatcher_Dispatch() {
	d := runtime.NewDispatcher(weather.NewHandler(station{}), runtime.Options{})
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Lyon"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"weather/currant"}`,
	} {
		fmt.Printf("%s\n", d.Dispatch(context.Background(), nil, []byte(message)))
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"city Lyon not found","data":{"city":"Lyon","didYouMean":["Paris"]}}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found","data":{"suggestion":"weather/current"}}}
}

// A session carries calls both ways: the client calls the server, which sends an alert while it serves the call.
func ExampleNewSession() {
	ctx := context.Background()
	near, far := pipe.New(0)
	received := make(alerts, 1)
	server := runtime.NewSession(ctx, far, weather.NewHandler(station{}), runtime.Options{})
	conn := runtime.NewSession(ctx, near, weather.NewCallbackHandler(received), runtime.Options{})
	c := weather.NewClient(conn)

	report, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris"})
	fmt.Println(report.Degrees, report.Unit, err)

	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Pariz"})
	if unknown, ok := errors.AsType[*weather.CityNotFoundError](err); ok {
		fmt.Println("did you mean", unknown.DidYouMean)
	}
	if err := c.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Paris"}); err == nil {
		fmt.Println("alert:", (<-received).Text)
	}
	conn.Close()
	server.Wait()
	// Output:
	// 14.5 celsius <nil>
	// did you mean [Paris]
	// alert: storm
}

// A client checks params before it sends them.
func ExampleParamsError() {
	near, far := pipe.New(0)
	server := runtime.NewSession(context.Background(), far, weather.NewHandler(station{}), runtime.Options{})
	conn := runtime.NewSession(context.Background(), near, nil, runtime.Options{})
	_, err := weather.NewClient(conn).WeatherCurrent(context.Background(), weather.WeatherCurrentParams{Unit: "celcius"})
	if broken, ok := errors.AsType[*runtime.ParamsError](err); ok {
		for _, v := range broken.Violations {
			fmt.Println(v.Pointer, "expected", v.Expected)
		}
	}
	conn.Close()
	server.Wait()
	// Output:
	// /city expected at least 1 character
	// /unit expected one of celsius, fahrenheit
}

// An optional field that may be null has three states.
func ExampleOpt() {
	for _, wind := range []runtime.Opt[runtime.Nullable[float64]]{
		{}, runtime.Some(runtime.Null[float64]()), runtime.Some(runtime.NotNull(11.5)),
	} {
		switch speed, there := wind.Get(); {
		case !there:
			fmt.Println("not measured")
		case speed.IsNull():
			fmt.Println("the sensor is broken")
		default:
			fmt.Println(speed.Or(0))
		}
	}
	// Output:
	// not measured
	// the sensor is broken
	// 11.5
}

// quota is an error that says itself what the peer gets.
type quota struct{}

func (q quota) Error() string { return "the quota is used up" }

func (q quota) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 4290, Message: q.Error()}
}

// limited refuses every call.
type limited struct{ weather.UnimplementedServer }

func (limited) WeatherWatch(context.Context, weather.WeatherWatchParams) error { return quota{} }

// A Coder answers a code that the schema does not declare.
func ExampleCoder() {
	d := runtime.NewDispatcher(weather.NewHandler(limited{}), runtime.Options{})
	call := `{"jsonrpc":"2.0","id":1,"method":"weather/watch","params":{"city":"Paris"}}`
	fmt.Printf("%s\n", d.Dispatch(context.Background(), nil, []byte(call)))
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":4290,"message":"the quota is used up"}}
}
