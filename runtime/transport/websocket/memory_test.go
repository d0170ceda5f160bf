package websocket

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// letters is an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestHeldBytes: one client may hold half of what all connections may, and messages beyond that are refused.
func TestHeldBytes(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	const conns, calls = 4, 16
	limit := heap.Limit()
	size := limit / (conns * calls)
	release := make(chan struct{})
	taken := make(chan string, conns*calls) // an empty text for a call that is handled, and the answers
	server := &weather.Server{Way: runtime.Plain, Current: func(context.Context, weather.CurrentParams) (weather.Report, error) {
		taken <- ""
		<-release
		return weather.Report{}, nil
	}}
	s := newSite(t, weather.NewHandler(server), Options{MaxBytes: limit})
	refused := 0
	heap.AtMost(t, limit/2, func() {
		var all []*websocket.Conn
		for range conns {
			c, _, err := websocket.Dial(t.Context(), s.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
			c.SetReadLimit(-1)
			t.Cleanup(func() { c.CloseNow() })
			go func() {
				for {
					_, text, err := c.Read(t.Context())
					if err != nil {
						return
					}
					taken <- string(text)
				}
			}()
		}
		for id := range conns * calls { // one after the other: the buffers of messages that arrive at the same time count as well
			w, err := all[id%conns].Writer(t.Context(), websocket.MessageText)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":"`, id)
			io.Copy(w, io.LimitReader(letters{}, size))
			io.WriteString(w, `"}}`)
			w.Close()
			switch answer := <-taken; {
			case answer == "":
			case strings.Contains(answer, "too much memory"):
				refused++
			default:
				t.Error(answer)
			}
		}
	})
	if refused < conns*calls/2 {
		t.Error(refused, "calls were refused")
	}
	close(release)
}
