package runtime_test

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func framed(c net.Conn) frame.Conn {
	return frame.NewConn(frame.Lines.NewReader(c, 0), frame.Lines.NewWriter(c, 0), c.Close)
}

// TestHeldBytes sends messages to handlers that do not return, until the session takes no more, and measures what it keeps.
func TestHeldBytes(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	limit := int(heap.Limit())
	size := limit / 32
	param := `"params":{"city":"` + strings.Repeat("x", size) + `"}`
	for name, send := range map[string]func(id int) string{
		"requests": func(id int) string {
			return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"weather/current",` + param + `}`
		},
		"notifications": func(int) string { return `{"jsonrpc":"2.0","method":"weather/watch",` + param + `}` },
		"batches": func(id int) string {
			return `[{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"weather/current",` + param + `}]`
		},
		"members that the schema does not know": func(id int) string {
			return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"weather/current","params":{"city":"x"},"_more":"` + strings.Repeat("x", size) + `"}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			const messages = 60
			release := make(chan struct{})
			taken := make(chan string, messages) // an empty text for a call that is handled, and the answers
			wait := func(context.Context, weather.CurrentParams) error {
				taken <- ""
				<-release
				return nil
			}
			server := &weather.Server{Way: runtime.Plain, Watch: wait, Current: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
				return weather.Report{City: "x"}, wait(ctx, p)
			}}
			a, b := net.Pipe() // which has no memory
			near, far := framed(a), framed(b)
			s := runtime.NewSession(context.Background(), far, weather.NewHandler(server), runtime.Options{Logger: quiet, MaxBytes: limit, StallTimeout: time.Hour})
			go func() {
				for answer, err := near.ReadFrame(); err == nil; answer, err = near.ReadFrame() {
					taken <- string(answer)
				}
			}()
			heap.AtMost(t, int64(limit), func() {
				go func() {
					for id := range messages {
						if near.WriteFrame([]byte(send(id))) != nil {
							return
						}
					}
				}()
				if name == "notifications" { // the first one is handled, others wait, and the session stops reading
					await.Until(t, "notifications wait", func() bool { return s.Held() >= int64(limit-2*size) })
					return
				}
				for range messages {
					if answer := <-taken; answer != "" && !strings.Contains(answer, "too much memory") {
						t.Error(answer)
					}
				}
			})
			close(release)
			near.Close()
			s.Wait()
			if held := s.Held(); held != 0 {
				t.Errorf("%d bytes are held after the end", held)
			}
		})
	}
}
