package mcp_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// faults are messages that are wrong in some way, or make something go wrong.
var faults = []string{
	`{`, `[]`, `nonsense`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`, "\x00", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":"f","method":"tools/call","params":{"name":"misbehave","arguments":{"how":"panic"},` + statelessMeta + `}}`,
	`{"jsonrpc":"2.0","id":"f","method":"tools/call","params":{"name":"misbehave","arguments":{"how":"silence"},` + statelessMeta + `}}`,
	`{"jsonrpc":"2.0","id":"f","method":"tools/call","params":` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100) + `}`,
	`{"jsonrpc":"2.0","id":"f","result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"f"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`,
}

// TestFaults: sessions in which much goes wrong, each of which vanishes with a call in flight. Every good call is answered, and nothing is
// left running.
func TestFaults(t *testing.T) {
	srv := newServer("")
	var sessions sync.WaitGroup
	for i := range 50 {
		sessions.Go(func() { misuse(t, srv, i) })
	}
	for range 100 {
		srv.ToolsChanged()
	}
	sessions.Wait()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func misuse(t *testing.T, srv *mcp.Server, seed int) {
	const calls = 20
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, srv, runtime.Options{Logger: shop.Quiet})
	answered := make(chan int, 1)
	go func() {
		n := 0
		for n < calls {
			msg, err := a.ReadFrame()
			if err != nil {
				break
			}
			if strings.Contains(string(msg), `"id":"good`) {
				n++
			}
		}
		answered <- n
	}()
	a.WriteFrame([]byte(strings.Replace(request("subscriptions/listen", listenAll), `"id":1`, `"id":"listen"`, 1)))
	a.WriteFrame([]byte(strings.Replace(request("tools/call", `"name":"misbehave","arguments":{"how":"wait"},`), `"id":1`, `"id":"wait"`, 1)))
	for i := range calls {
		a.WriteFrame([]byte(faults[(seed+i)%len(faults)]))
		a.WriteFrame([]byte(strings.Replace(request("tools/call", search), `"id":1`, fmt.Sprintf(`"id":"good%d"`, i), 1)))
	}
	if n := <-answered; n != calls {
		t.Errorf("%d of %d calls were answered", n, calls)
	}
	a.Close()
	s.Wait()
}
