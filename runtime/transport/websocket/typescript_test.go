package websocket_test

import (
	"context"
	"flag"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

var scripts = flag.String("typescript", "", "folder of test/typescript with its packages installed and its programs compiled: call the server from Node, Deno and Bun")

// alarm answers in any city, and warns those who watch.
type alarm struct{ weather.UnimplementedServer }

func (alarm) WeatherCurrent(_ context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	return weather.Report{City: p.City, Degrees: 14, Unit: weather.UnitCelsius, ObservedAt: time.Unix(0, 0).UTC()}, nil
}

func (alarm) WeatherWatch(ctx context.Context, p weather.WeatherWatchParams) error {
	back := weather.NewCallbackClient(runtime.PeerFrom(ctx))
	return back.WeatherAlert(ctx, weather.WeatherAlertParams{City: p.City, Text: "storm", Severity: 4})
}

// TestTypeScript lets a generated client of TypeScript call a server over the WebSocket of Node, and of Deno and Bun where they are.
func TestTypeScript(t *testing.T) {
	if *scripts == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	h := websocket.NewHandler(weather.NewHandler(alarm{}), websocket.Options{})
	web := httptest.NewServer(h)
	defer web.Close()
	for name, args := range map[string][]string{"node": nil, "deno": {"run", "--allow-all", "--no-config"}, "bun": nil} {
		t.Run(name, func(t *testing.T) { script(t, name, args, "websocket.js", strings.Replace(web.URL, "http", "ws", 1)) })
	}
}

// script runs a program of test/typescript.
func script(t *testing.T, name string, args []string, program, address string) {
	path, err := exec.LookPath(name)
	if local := filepath.Join(*scripts, "node_modules", ".bin", name); err != nil {
		if path, err = exec.LookPath(local); err != nil {
			t.Skipf("there is no %s", name)
		}
	}
	c := exec.Command(path, append(args, filepath.Join(*scripts, "out", program), address)...)
	if name == "node" {
		c.Env = append(os.Environ(), "NODE_OPTIONS=--experimental-websocket")
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// flow serves streams. Its method count waits until none is open, and returns how many have ended.
type flow struct {
	rpc.UnimplementedServer
	mu          sync.Mutex
	open, ended int
	none        chan bool // is closed when the last one ends
}

func (f *flow) begin() (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open++; f.open == 1 {
		f.none = make(chan bool)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended++
		if f.open--; f.open == 0 {
			close(f.none)
		}
	}
}

func (f *flow) Count(context.Context) (rpc.CountResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.open > 0 {
		none := f.none
		f.mu.Unlock()
		<-none
		f.mu.Lock()
	}
	return rpc.CountResult{N: uint64(f.ended)}, nil
}

func (f *flow) LogsTail(ctx context.Context, p rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	defer f.begin()()
	if p.File == "none" {
		return result, &rpc.NoFileError{File: p.File}
	}
	for result.Lines < p.Most.Or(1<<50) {
		if err := out.Send(ctx, rpc.Line{Seq: result.Lines, Text: "line"}); err != nil {
			return result, err
		}
		result.Lines++
	}
	return result, nil
}

func (f *flow) Changes(ctx context.Context, out rpc.ChangesStream) error {
	defer f.begin()()
	return out.Send(ctx, &rpc.Added{Name: "new"})
}

func (f *flow) NumsSubscribe(ctx context.Context, p rpc.NumsSubscribeParams, out rpc.NumsSubscribeStream) error {
	defer f.begin()()
	for n := range uint64(p.Count) {
		if err := out.Send(ctx, n); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (f *flow) Points(ctx context.Context, out rpc.PointsStream) error {
	defer f.begin()()
	err := out.Send(ctx, rpc.PointsItem{X: 1, Y: runtime.Some(2.0)})
	<-ctx.Done()
	return err
}

// TestTypeScriptStreams lets a generated client of TypeScript read streams, over the WebSocket of Node and over TCP.
func TestTypeScriptStreams(t *testing.T) {
	if *scripts == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	t.Run("websocket", func(t *testing.T) {
		web := httptest.NewServer(websocket.NewHandler(rpc.NewHandler(&flow{}), websocket.Options{}))
		defer web.Close()
		script(t, "node", nil, "follow.js", strings.Replace(web.URL, "http", "ws", 1))
	})
	t.Run("tcp", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go tcp.Serve(t.Context(), l, rpc.NewHandler(&flow{}))
		_, port, _ := net.SplitHostPort(l.Addr().String())
		script(t, "node", nil, "follow.js", port)
	})
}
