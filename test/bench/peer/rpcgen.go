package peer

import (
	"context"
	"io"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"

	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Quiet logs nothing.
var Quiet = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// RPCGen is the generated server.
func RPCGen() Dispatcher {
	d := runtime.NewDispatcher(Handler(), runtime.Options{Logger: Quiet, MaxBatch: 10_000})
	return Dispatcher{Name: "rpcgen", Dispatch: d.Dispatch}
}

// RPCGenSession is the generated server after a session: a message is a frame on a connection in memory.
func RPCGenSession() Dispatcher {
	return session(Handler(), runtime.Options{Logger: Quiet, MaxBatch: 10_000})
}

// session sends messages to a session of h over a connection in memory.
func session(h runtime.Handler, o runtime.Options) Dispatcher {
	near, far := pipe.New(0)
	s := runtime.NewSession(context.Background(), far, h, o)
	return Dispatcher{
		Name: "rpcgen, session",
		Dispatch: func(_ context.Context, dst, msg []byte) []byte {
			must(near.WriteFrame(msg))
			answer, err := near.ReadFrame()
			must(err)
			return append(dst, answer...)
		},
		Close: func() {
			near.Close()
			must(s.Wait())
		},
	}
}

// RPCGenCaller connects the generated client to the generated server.
func RPCGenCaller() Caller {
	near, far := pipe.New(0)
	server := runtime.NewSession(context.Background(), far, Handler(), runtime.Options{Logger: Quiet})
	session := runtime.NewSession(context.Background(), near, nil, runtime.Options{Logger: Quiet})
	return generatedCaller("rpcgen", session, func() {
		session.Close()
		session.Wait()
		server.Wait()
	})
}

// Handler is the generated handler of the service of package work.
func Handler() runtime.Handler { return rpc.NewHandler(office{}) }

// office is the service of package work on the generated types.
type office struct{ rpc.UnimplementedServer }

// WeatherCurrent answers the small call.
func (office) WeatherCurrent(_ context.Context, p rpc.WeatherCurrentParams) (rpc.Report, error) {
	return rpc.Report{City: p.City, Degrees: 14.5, Unit: p.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}, nil
}

// WeatherLimited answers the small call with a declared timeout.
func (office) WeatherLimited(_ context.Context, p rpc.WeatherLimitedParams) (rpc.Report, error) {
	return rpc.Report{City: p.City, Degrees: 14.5, Unit: p.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}, nil
}

// converted returns what convert makes of each of all.
func converted[From, To any](all []From, convert func(From) To) []To {
	var list []To
	for _, one := range all {
		list = append(list, convert(one))
	}
	return list
}

var week = converted(work.Week, func(d work.Day) rpc.Day { return rpc.Day(d) })

// WeatherForecast answers the typical call.
func (office) WeatherForecast(_ context.Context, p rpc.WeatherForecastParams) (rpc.Forecast, error) {
	days := make([]rpc.Day, min(int(p.Days), len(week)))
	copy(days, week)
	return rpc.Forecast{City: p.City, Unit: p.Unit, Days: days}, nil
}

var generatedItems = converted(work.Items, func(i work.Item) rpc.Item { return rpc.Item(i) })

// CatalogList answers the list.
func (office) CatalogList(_ context.Context, p rpc.CatalogListParams) (rpc.CatalogListResult, error) {
	return rpc.CatalogListResult{Items: generatedItems[:min(int(p.Limit), len(generatedItems))]}, nil
}

// CatalogCopy answers the large list.
func (office) CatalogCopy(_ context.Context, p rpc.CatalogCopyParams) (rpc.CatalogCopyResult, error) {
	return rpc.CatalogCopyResult(p), nil
}

// TextEcho answers the long text.
func (office) TextEcho(_ context.Context, p rpc.TextEchoParams) (rpc.TextEchoResult, error) {
	return rpc.TextEchoResult{Text: p.Text}, nil
}
