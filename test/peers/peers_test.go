package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

// peer is a library of others over TCP.
type peer struct {
	framing frame.Framing
	dial    func(t *testing.T, address string, note func(method string, params []byte)) client
	serve   func(t *testing.T, l net.Listener, answer answer)
	noData  bool // its server cannot send the data of an error
}

// client is the library's client.
type client struct {
	call   func(ctx context.Context, method string, params, result any) error
	notify func(ctx context.Context, method string, params any) error
	coded  func(err error, code int64) bool // whether err has the code
}

// answer is what a server of the library answers a request with: a result, or an error. It may send notifications before.
type answer func(method string, params []byte, notify func(method string, params any) error) (result any, refused *refusal)

// refusal is an error object.
type refusal struct {
	code    int64
	message string
	data    any
}

var peers = map[string]peer{
	"jrpc2, lines":                  {framing: frame.Lines, dial: dialJRPC2(false), serve: serveJRPC2(false)},
	"jrpc2, headers":                {framing: frame.Headers, dial: dialJRPC2(true), serve: serveJRPC2(true)},
	"sourcegraph/jsonrpc2, lines":   {framing: frame.Lines, dial: dialSourcegraph(false), serve: serveSourcegraph(false)},
	"sourcegraph/jsonrpc2, headers": {framing: frame.Headers, dial: dialSourcegraph(true), serve: serveSourcegraph(true)},
	"x/exp/jsonrpc2, headers":       {framing: frame.Headers, dial: dialExp, serve: serveExp, noData: true},
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestClients: the clients of others at the weather service.
func TestClients(t *testing.T) {
	for name, p := range peers {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			ctx, stop := context.WithCancel(context.Background())
			served := make(chan error, 1)
			go func() { served <- tcp.Serve(ctx, l, weather.NewHandler(office.Office{}), tcp.WithFraming(p.framing)) }()
			t.Cleanup(func() { stop(); <-served })
			notes := make(chan string, 10)
			c := p.dial(t, l.Addr().String(), func(method string, params []byte) {
				var p weather.WeatherAlertParams
				err := json.Unmarshal(params, &p)
				notes <- fmt.Sprint(method, p, err)
			})
			visitWeather(t, c, notes)
		})
	}
}

func visitWeather(t *testing.T, c client, notes <-chan string) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	type params map[string]any
	var report struct {
		City    string
		Degrees float64
	}
	if err := c.call(ctx, "weather/current", params{"city": "Oslo", "unit": "fahrenheit"}, &report); err != nil || report.Degrees != 26.6 {
		t.Error(report, err)
	}
	if err := c.call(ctx, "weather/current", params{"city": "Pariz"}, &report); !c.coded(err, 1001) || !strings.Contains(err.Error(), "city Pariz not found") {
		t.Error(err)
	}
	if err := c.call(ctx, "weather/current", params{"town": "Paris"}, &report); !c.coded(err, runtime.CodeInvalidParams) {
		t.Error(err)
	}
	if err := c.call(ctx, "weather/nothing", params{}, nil); !c.coded(err, runtime.CodeMethodNotFound) {
		t.Error(err)
	}
	if err := c.notify(ctx, "weather/current", params{"city": "Oslo"}); err != nil {
		t.Error(err)
	}
	if err := c.call(ctx, "weather/watch", params{"city": "Lagos"}, &struct{}{}); err != nil {
		t.Error(err)
	}
	select {
	case note := <-notes:
		if note != "weather/alert{Lagos storm from the west 4} <nil>" {
			t.Error(note)
		}
	case <-ctx.Done():
		t.Error("no alert")
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				var report struct{ Degrees float64 }
				if err := c.call(ctx, "weather/current", params{"city": "Lagos"}, &report); err != nil || report.Degrees != 31 {
					t.Error(report, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// desk answers as the weather service does, by hand.
func desk(method string, params []byte, notify func(method string, params any) error) (any, *refusal) {
	var p struct{ City string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &refusal{code: runtime.CodeInvalidParams, message: err.Error()}
	}
	switch {
	case method == "weather/watch":
		if err := notify("weather/alert", weather.WeatherAlertParams{City: p.City, Text: "wind", Severity: 2}); err != nil {
			return nil, &refusal{code: runtime.CodeInternalError, message: err.Error()}
		}
		return struct{}{}, nil
	case method != "weather/current":
		return nil, &refusal{code: runtime.CodeMethodNotFound, message: "no such method"}
	case p.City == "Atlantis":
		return nil, &refusal{code: 1001, message: "city Atlantis not found", data: map[string]any{"city": p.City, "didYouMean": []string{}}}
	case p.City == "Void": // a result that the schema does not admit
		return map[string]any{"city": p.City}, nil
	}
	return weather.Report{City: p.City, Degrees: 7.5, Unit: weather.UnitCelsius, ObservedAt: time.Unix(1_800_000_000, 0).UTC()}, nil
}

// alerts takes the notifications of a server.
type alerts chan weather.WeatherAlertParams

func (a alerts) WeatherAlert(_ context.Context, p weather.WeatherAlertParams) error {
	a <- p
	return nil
}

// TestServers: the typed client of rpcgen at servers of others.
func TestServers(t *testing.T) {
	for name, p := range peers {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			p.serve(t, l, desk)
			heard := make(alerts, 10)
			s, err := tcp.Dial(t.Context(), l.Addr().String(), weather.NewCallbackHandler(heard), tcp.WithFraming(p.framing))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			visitDesk(t, s, heard, !p.noData)
		})
	}
}

func visitDesk(t *testing.T, s *runtime.Session, heard alerts, data bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := weather.NewClient(s)
	if r, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Rome", Unit: weather.UnitCelsius}); err != nil || r.Degrees != 7.5 {
		t.Error(r, err)
	}
	_, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Atlantis", Unit: weather.UnitCelsius})
	if typed, ok := errors.AsType[*weather.CityNotFoundError](err); data && (!ok || typed.City != "Atlantis") {
		t.Errorf("%T %v", err, err)
	}
	if coded, ok := errors.AsType[*runtime.Error](err); !data && (!ok || coded.Code != 1001) {
		t.Errorf("%T %v", err, err)
	}
	if _, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Void", Unit: weather.UnitCelsius}); err == nil || !strings.Contains(err.Error(), "degrees") {
		t.Error(err)
	}
	if err := c.WeatherWatch(ctx, weather.WeatherWatchParams{City: "Rome"}); err != nil {
		t.Error(err)
	}
	select {
	case a := <-heard:
		if a.City != "Rome" || a.Severity != 2 {
			t.Error(a)
		}
	case <-ctx.Done():
		t.Error("no alert")
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				if _, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Bern", Unit: weather.UnitCelsius}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
