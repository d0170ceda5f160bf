// Package tour is a client of the weather service that makes calls of every kind, and prints what comes back.
//
//test:by ./examples/weather
package tour

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/generated/weather"
)

// Watcher takes the alerts of the server; it implements [weather.Callbacks].
type Watcher chan weather.WeatherAlertParams

// WeatherAlert implements [weather.Callbacks].
func (w Watcher) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	w <- p
	return nil
}

// Run makes the calls. Alerts takes what the server sends; nil says that it cannot send anything, as over HTTP.
func Run(ctx context.Context, c *weather.Client, alerts Watcher) error {
	if err := calls(ctx, c); err != nil {
		return err
	}
	if alerts == nil {
		return nil
	}
	Say("watch a city; the server sends an alert")
	if err := c.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Lagos"}); err != nil {
		return err
	}
	select {
	case alert := <-alerts:
		Say("  severity %d in %s: %s", alert.Severity, alert.City, alert.Text)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// calls makes the calls that need no way back.
func calls(ctx context.Context, c *weather.Client) error {
	Say("a call")
	report, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris"})
	if err != nil {
		return err
	}
	Say("  %s has %g degrees %s", report.City, report.Degrees, report.Unit)

	Say("a call that fails with a declared error")
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Pariz"})
	unknown, ok := errors.AsType[*weather.CityNotFoundError](err)
	if !ok {
		return fmt.Errorf("expected a CityNotFoundError, got %w", err)
	}
	Say("  %v; did you mean %s?", unknown, strings.Join(unknown.DidYouMean, " or "))

	Say("a call whose params break their rules is not even sent")
	_, err = c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Paris", Unit: "kelvin"})
	Say("  %v", err)

	Say("a batch: one message out, typed results back")
	b := c.Batch()
	oslo := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Oslo", Unit: weather.UnitFahrenheit}, &report)
	nowhere := b.WeatherCurrent(weather.WeatherCurrentParams{City: "Atlantis"}, new(weather.Report))
	if err := b.Send(ctx); err != nil {
		return err
	}
	if err := oslo.Err(); err != nil {
		return err
	}
	Say("  %s has %g degrees %s; Atlantis: %v", report.City, report.Degrees, report.Unit, nowhere.Err())
	return nil
}

var printing sync.Mutex

// Say prints a line.
func Say(format string, args ...any) {
	printing.Lock()
	defer printing.Unlock()
	fmt.Printf(format+"\n", args...)
}
