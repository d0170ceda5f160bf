package websocket

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/waits"
)

// TestWaits: a connection of which the peer stops halfway ends, before and after it was upgraded.
func TestWaits(t *testing.T) {
	const upgrade = "GET /rpc HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	const closing = 10 * time.Second // for the peer's answer to the end of the connection
	o := Options{Runtime: runtime.Options{Logger: slog.New(slog.DiscardHandler)}}
	waits.Test(t, func(ctx context.Context, l net.Listener) error {
		return Serve(ctx, l, "/rpc", NewHandler(weather.NewHandler(office()), o))
	},
		waits.State{Name: "an upgrade without more", Sent: upgrade, Within: 60*time.Second + closing},
		waits.State{Name: "half a header of a frame", Sent: upgrade + "\x81\x8a", Within: 60*time.Second + closing},
		waits.State{Name: "half a frame", Sent: upgrade + "\x81\x8a\x00\x00\x00\x00{", Within: 60*time.Second + closing},
		waits.State{Name: "a frame in bytes", Sent: upgrade + "\x81\xfe\x40\x00", Trickle: time.Second, Within: 60*time.Second + closing},
		waits.State{Name: "half an upgrade", Sent: upgrade[:len(upgrade)-2], Within: 10 * time.Second},
	)
}
