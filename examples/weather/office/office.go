// Package office is a weather office: it answers the methods of the example schema from a table, and sends an alert to every client that
// watches a city.
//
//test:by ./examples/weather
package office

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
)

// Office implements [weather.Server].
type Office struct{ weather.UnimplementedServer }

// observed is when the reports of the table were made.
var observed = time.Date(2026, time.July, 28, 12, 0, 0, 0, time.UTC)

// table holds the reports, in celsius. A wind that is null comes from a broken sensor.
var table = []weather.Report{
	{City: "Paris", Degrees: 14.5, Unit: weather.UnitCelsius, ObservedAt: observed, Wind: runtime.Some(runtime.NotNull(11.5))},
	{City: "Oslo", Degrees: -3, Unit: weather.UnitCelsius, ObservedAt: observed, Wind: runtime.Some(runtime.Null[float64]())},
	{City: "Lagos", Degrees: 31, Unit: weather.UnitCelsius, ObservedAt: observed},
}

// WeatherCurrent answers from the table.
func (Office) WeatherCurrent(_ context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	report, err := find(p.City)
	if err == nil && p.Unit == weather.UnitFahrenheit {
		report.Degrees, report.Unit = report.Degrees*9/5+32, p.Unit
	}
	return report, err
}

// WeatherWatch sends one alert before it answers: the office knows what is coming.
func (Office) WeatherWatch(ctx context.Context, p weather.WeatherWatchParams) error {
	report, err := find(p.City)
	if err != nil {
		return err
	}
	peer := runtime.PeerFrom(ctx)
	if peer == nil {
		return nil
	}
	err = weather.NewCallbackClient(peer).WeatherAlert(ctx, weather.WeatherAlertParams{
		City: report.City, Text: "storm from the west", Severity: 4,
	})
	if err != nil {
		slog.Warn("an alert was not sent", "city", report.City, "error", err)
	}
	return nil
}

func find(city string) (weather.Report, error) {
	var near []string
	for _, r := range table {
		if r.City == city {
			return r, nil
		}
		if strings.EqualFold(r.City[:2], city[:min(2, len(city))]) {
			near = append(near, r.City)
		}
	}
	return weather.Report{}, &weather.CityNotFoundError{City: city, DidYouMean: near}
}
