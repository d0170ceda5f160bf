package websocket_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
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
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if local := filepath.Join(*scripts, "node_modules", ".bin", name); err != nil {
				if path, err = exec.LookPath(local); err != nil {
					t.Skipf("there is no %s", name)
				}
			}
			c := exec.Command(path, append(args, filepath.Join(*scripts, "out", "websocket.js"), strings.Replace(web.URL, "http", "ws", 1))...)
			if name == "node" {
				c.Env = append(os.Environ(), "NODE_OPTIONS=--experimental-websocket")
			}
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
