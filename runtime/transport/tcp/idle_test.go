//go:build !race

package tcp

import (
	"net"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestIdleConnections: an idle connection costs one goroutine and at most 8 KB, the socket of its client included.
func TestIdleConnections(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	const conns = 1500 // many, because what Go keeps for its own use is counted too
	address, _ := start(t, weather.NewHandler(ping()), WithMaxConns(conns), WithMaxConnsPerAddress(conns), WithOptions(runtime.Options{Logger: quiet}))
	answer := make([]byte, 100)
	idle.AtMost(t, 8<<10, conns, func() {
		for range conns {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			if _, err := c.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"weather/ping"}` + "\n")); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Read(answer); err != nil || string(answer[:n]) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
				t.Fatal(string(answer[:n]), err)
			}
		}
	})
}
