//go:build !race

package websocket

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestIdleConnections: an idle connection costs one goroutine and at most 16 KB, the socket of its client included.
func TestIdleConnections(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	const conns = 1500 // many, because what Go keeps for its own use is counted too
	s := newSite(t, weather.NewHandler(office()), Options{MaxConns: conns, MaxConnsPerClient: conns})
	idle.AtMost(t, 16<<10, conns, func() {
		for range conns {
			c := s.raw()
			c.send(fin|text, `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`, 0)
			if _, answer, err := c.next(); err != nil || answer != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Fatal(answer, err)
			}
			c.r = nil // the buffer of the client
		}
	})
}
