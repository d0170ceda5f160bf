package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// TestFloodsAreLoggedBriefly: whatever peers do, and however often, the log stays small, holds no error of the server's own, and nothing of
// what peers send but short, printable texts.
func TestFloodsAreLoggedBriefly(t *testing.T) {
	const n = 500
	hostile := `\u001b[2J\u202e` + strings.Repeat("x", 5000)
	messages := map[string]string{
		"spoofed responses":        `{"jsonrpc":"2.0","id":ID000000,"result":{}}`,
		"spoofed text ids":         `{"jsonrpc":"2.0","id":"` + hostile + `ID","result":{}}`,
		"malformed responses":      `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"},"` + hostile + `":1,"` + hostile + `":2}`,
		"malformed messages":       `{"jsonrpc":"2.0","id":1,"` + hostile + `":1,"` + hostile + `":2}`,
		"unknown notifications":    `{"jsonrpc":"2.0","method":"` + hostile + `"}`,
		"notifications with flaws": `{"jsonrpc":"2.0","method":"weather/current","params":{"` + hostile + `":1}}`,
	}
	for name, message := range messages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // where no time passes, in which more may be logged
				var out bytes.Buffer
				p := newPeer(t, weather.NewHandler(office()), runtime.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
				go func() {
					for range n {
						p.conn.ReadFrame()
					}
				}()
				for i := range n {
					p.conn.WriteFrame([]byte(strings.Replace(message, "ID", strconv.Itoa(i), 1)))
				}
				p.conn.CloseWrite()
				p.s.Wait()
				checkLog(t, out.String(), 2*peerlog.Burst)
			})
		})
	}
}

// TestVanishingPeersAreNoErrors: peers that leave while their calls are handled are logged briefly, whatever the handlers make of it.
func TestVanishingPeersAreNoErrors(t *testing.T) { synctest.Test(t, vanishingPeers) }

func vanishingPeers(t *testing.T) {
	var out bytes.Buffer
	o := runtime.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))}
	server, begun := office(), make(chan struct{})
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		_, err := runtime.PeerFrom(ctx).Call(context.Background(), 1<<40, []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`))
		return weather.Report{}, err // which is neither context.Canceled nor an error of the schema
	}
	for range 100 {
		a, b := pipe.New(1 << 16)
		s := runtime.NewSession(context.Background(), b, weather.NewHandler(server), o)
		a.WriteFrame([]byte(request("1", "weather/current", "x")))
		<-begun
		a.Close()
		s.Wait()
	}
	checkLog(t, out.String(), 2*peerlog.Burst)
}

// checkLog checks that a log has few lines, none of them an error, and none long.
func checkLog(t *testing.T, log string, most int) {
	t.Helper()
	if n := strings.Count(log, "\n"); n > most {
		t.Errorf("%d lines:\n%.2000s", n, log)
	}
	if strings.Contains(log, "level=ERROR") {
		t.Errorf("%.2000s", log)
	}
	for line := range strings.Lines(log) {
		if len(line) > 1<<10 || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("a line of %d bytes: %.200q", len(line), line)
		}
	}
}

// TestNeitherResultNorError: a response that holds neither fails its call at once, alone and in a batch.
func TestNeitherResultNorError(t *testing.T) {
	for name, text := range map[string]string{
		"alone": `{"jsonrpc":"2.0","id":1}`, "other members": `{"jsonrpc":"2.0","id":1,"x":{}}`, "no version": `{"id":1}`,
		"both": `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, "batch": `[{"jsonrpc":"2.0","id":1}]`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
				go func() {
					p.conn.ReadFrame()
					p.send(text)
				}()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := weather.NewClient(p.s).Ping(ctx)
				if _, ok := errors.AsType[*runtime.ResponseError](err); !ok {
					t.Errorf("got %v", err)
				}
				p.end()
			})
		})
	}
}
