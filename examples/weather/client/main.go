// Command client starts the weather server, makes calls of every kind, and prints the exchange.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run builds and starts the server, and ends it.
func run(ctx context.Context) error {
	server, remove, err := build(ctx)
	if err != nil {
		return err
	}
	defer remove()
	alerts := make(watcher, 1)
	process, err := stdio.Command(ctx, exec.Command(server), weather.NewCallbackHandler(alerts),
		stdio.WithStderr(os.Stderr), stdio.WithTrace(show))
	if err != nil {
		return err
	}
	return errors.Join(converse(ctx, weather.NewClient(process), alerts), process.Close())
}

// build compiles the server: go run would stand between the two processes.
func build(ctx context.Context) (binary string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "weather-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	binary = filepath.Join(dir, "server.exe")
	_, here, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "../server")
	cmd.Dir = filepath.Dir(here)
	if out, err := cmd.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return binary, remove, nil
}

// converse is the conversation.
func converse(ctx context.Context, c *weather.Client, alerts watcher) error {
	say("a call")
	report, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris"})
	if err != nil {
		return err
	}
	say("  %s has %g degrees %s", report.City, report.Degrees, report.Unit)

	say("a call that fails with a declared error")
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Pariz"})
	unknown, ok := errors.AsType[*weather.CityNotFoundError](err)
	if !ok {
		return fmt.Errorf("expected a CityNotFoundError, got %w", err)
	}
	say("  %v; did you mean %s?", unknown, strings.Join(unknown.DidYouMean, " or "))

	say("a call whose params break their rules is not even sent")
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris", Unit: "kelvin"})
	say("  %v", err)

	say("a batch: one message out, typed results back")
	b := c.Batch()
	oslo := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Oslo", Unit: weather.UnitFahrenheit})
	nowhere := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Atlantis"})
	if err := b.Send(ctx); err != nil {
		return err
	}
	if report, err = oslo.Result(); err != nil {
		return err
	}
	say("  %s has %g degrees %s; Atlantis: %v", report.City, report.Degrees, report.Unit, nowhere.Call.Err())

	say("watch a city; the server sends an alert")
	if err := c.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Lagos"}); err != nil {
		return err
	}
	select {
	case alert := <-alerts:
		say("  severity %d in %s: %s", alert.Severity, alert.City, alert.Text)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// watcher takes the alerts; it implements [weather.Callbacks].
type watcher chan weather.WeatherAlertParams

func (w watcher) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	w <- p
	return nil
}

var printing sync.Mutex

func say(format string, args ...any) {
	printing.Lock()
	defer printing.Unlock()
	fmt.Printf(format+"\n", args...)
}

// show prints a message as it goes over the wire.
func show(sent bool, frame []byte) {
	arrow := "<--"
	if sent {
		arrow = "-->"
	}
	say("    %s %s", arrow, frame)
}
