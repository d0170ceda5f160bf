package peer

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"

	rpc "github.com/rpcgen-go/rpcgen/test/bench/rpc/compact"
	tools "github.com/rpcgen-go/rpcgen/test/bench/tools/compact"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

func init() {
	compactDispatchers = func() []Dispatcher {
		d := runtime.NewDispatcher(rpc.NewHandler(compactOffice{}), runtime.Options{Logger: Quiet, MaxBatch: 10_000})
		return []Dispatcher{{Name: "rpcgen, compact codec", Dispatch: d.Dispatch}}
	}
	compactToolServers = func() []ToolServer {
		d := runtime.NewDispatcher(tools.NewServer(compactBench{}, mcp.Options{Logger: Quiet}), runtime.Options{Logger: Quiet})
		return []ToolServer{{Dispatcher: Dispatcher{Name: "rpcgen, compact codec", Dispatch: d.Dispatch}}}
	}
	CompactParams, CompactResult, CompactList, CompactText = &rpc.WeatherForecastParams{}, &rpc.Forecast{}, &rpc.CatalogListResult{}, &rpc.TextEchoResult{}
}

// compactOffice is the service of package work on the types of the compact codec.
type compactOffice struct{ rpc.UnimplementedServer }

// WeatherCurrent answers the small call.
func (compactOffice) WeatherCurrent(_ context.Context, p rpc.WeatherCurrentParams) (rpc.Report, error) {
	return rpc.Report{City: p.City, Degrees: 14.5, Unit: p.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}, nil
}

var compactWeek = converted(work.Week, func(d work.Day) rpc.Day { return rpc.Day(d) })

// WeatherForecast answers the typical call.
func (compactOffice) WeatherForecast(_ context.Context, p rpc.WeatherForecastParams) (rpc.Forecast, error) {
	days := make([]rpc.Day, min(int(p.Days), len(compactWeek)))
	copy(days, compactWeek)
	return rpc.Forecast{City: p.City, Unit: p.Unit, Days: days}, nil
}

var compactItems = converted(work.Items, func(i work.Item) rpc.Item { return rpc.Item(i) })

// CatalogList answers the list.
func (compactOffice) CatalogList(_ context.Context, p rpc.CatalogListParams) (rpc.CatalogListResult, error) {
	return rpc.CatalogListResult{Items: compactItems[:min(int(p.Limit), len(compactItems))]}, nil
}

// TextEcho answers the long text.
func (compactOffice) TextEcho(_ context.Context, p rpc.TextEchoParams) (rpc.TextEchoResult, error) {
	return rpc.TextEchoResult{Text: p.Text}, nil
}

// compactBench is the MCP server of package work on the types of the compact codec.
type compactBench struct{ tools.UnimplementedServer }

// WeatherCurrent answers the tool that is called.
func (compactBench) WeatherCurrent(_ context.Context, in tools.WeatherCurrentInput) (tools.Report, error) {
	return tools.Report{City: in.City, Degrees: 14.5, Unit: in.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}, nil
}
