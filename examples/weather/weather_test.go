package weather_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/test/marked"
)

// wrapped is a handler with something before it, as middleware has it.
type wrapped struct{ runtime.Handler }

// connect returns a client of server, both in this process, each handler in a wrapper. A nil callbacks serves no alerts.
func connect(t *testing.T, server weather.Server, callbacks weather.Callbacks, o runtime.Options) *weather.Client {
	t.Helper()
	near, far := pipe.New(0)
	var h runtime.Handler
	if callbacks != nil {
		h = wrapped{weather.NewCallbackHandler(callbacks)}
	}
	there := runtime.NewSession(t.Context(), far, wrapped{weather.NewHandler(server)}, o)
	here := runtime.NewSession(t.Context(), near, h, runtime.Options{})
	t.Cleanup(func() {
		here.Close()
		here.Wait()
		there.Wait()
	})
	return weather.NewClient(here)
}

func TestCalls(t *testing.T) {
	alerts := make(watcher, 1)
	c := connect(t, office.Office{}, alerts, runtime.Options{})
	ctx := t.Context()

	report, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris"})
	if err != nil || report.Unit != weather.UnitCelsius || report.Degrees != 14.5 {
		t.Errorf("got %+v, %v", report, err)
	}
	if wind, measured := report.Wind.Get(); !measured || wind.Or(0) != 11.5 {
		t.Errorf("got the wind %v", report.Wind)
	}
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Pariz"})
	if unknown, ok := errors.AsType[*weather.CityNotFoundError](err); !ok || unknown.DidYouMean[0] != "Paris" {
		t.Errorf("got %v, want that the city is not known", err)
	}
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{Unit: "kelvin"})
	if invalid, ok := errors.AsType[*runtime.ParamsError](err); !ok || len(invalid.Violations) != 2 {
		t.Errorf("got %v, want two broken rules", err)
	}
	if err = c.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Lagos"}); err != nil {
		t.Error(err)
	}
	if alert := <-alerts; alert.City != "Lagos" || alert.Severity != 4 {
		t.Errorf("got the alert %+v", alert)
	}
}

func TestBatch(t *testing.T) {
	c := connect(t, office.Office{}, nil, runtime.Options{})
	b := c.Batch()
	var report weather.Report
	oslo := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Oslo", Unit: weather.UnitFahrenheit}, &report)
	nowhere := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Atlantis"}, nil)
	if err := oslo.Err(); err == nil {
		t.Error("there is a result before the batch was sent")
	}
	if err := b.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := oslo.Err()
	if wind, measured := report.Wind.Get(); err != nil || report.Unit != weather.UnitFahrenheit || !measured || !wind.IsNull() {
		t.Errorf("got %+v, %v", report, err)
	}
	if _, ok := errors.AsType[*weather.CityNotFoundError](nowhere.Err()); !ok {
		t.Errorf("got %v", nowhere.Err())
	}
}

// TestConditions has the runtime answer for what the schema says about it, and for what it does not.
func TestConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{started: make(chan struct{})}
		c := connect(t, server, nil, runtime.Options{MaxCalls: 1})
		first := make(chan error, 1)
		go func() {
			_, err := c.WeatherCurrent(context.Background(), weather.WeatherCurrentParams{City: "Paris"})
			first <- err
		}()
		<-server.started
		_, err := c.WeatherCurrent(t.Context(), weather.WeatherCurrentParams{City: "Oslo"})
		if _, ok := errors.AsType[*weather.OverloadedError](err); !ok {
			t.Errorf("got %v, want the error declared for overload", err)
		}
		begin := time.Now()
		if e, ok := errors.AsType[*runtime.Error](<-first); !ok || e.Code != when.CodeTimeout {
			t.Errorf("got %v, want a timeout", e)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("the timeout came after %v", took)
		}
	})
}

// slow answers nothing before its context ends.
type slow struct {
	weather.UnimplementedServer
	started chan struct{}
}

func (s *slow) WeatherCurrent(ctx context.Context, _ weather.WeatherCurrentParams) (weather.Report, error) {
	close(s.started)
	<-ctx.Done()
	return weather.Report{}, ctx.Err()
}

func TestUnimplemented(t *testing.T) {
	c := connect(t, weather.UnimplementedServer{}, nil, runtime.Options{})
	_, err := c.WeatherCurrent(t.Context(), weather.WeatherCurrentParams{City: "Paris"})
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeMethodNotFound {
		t.Errorf("got %v", err)
	}
}

// watcher takes alerts.
type watcher chan weather.WeatherAlertParams

func (w watcher) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	w <- p
	return nil
}

// TestDemo runs what make demo shows.
func TestDemo(t *testing.T) {
	marked.Watch("../..")
	out, err := exec.Command("go", "run", "./client").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`--> {"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris"}}`,
		"Paris has 14.5 degrees celsius", "did you mean Paris?", `expected one of celsius, fahrenheit, got "kelvin"`,
		"Oslo has 26.6 degrees fahrenheit; Atlantis: city Atlantis not found", "severity 4 in Lagos: storm from the west",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
