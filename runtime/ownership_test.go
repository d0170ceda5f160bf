package runtime_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestDecodedValuesStay keeps what was decoded from many messages that came over one stream of bytes, on both sides, and looks at
// it when everything else has long passed through: strings share the bytes of their message, which are never written to again.
func TestDecodedValuesStay(t *testing.T) {
	for name, framing := range map[string]frame.Framing{"lines": frame.Lines, "headers": frame.Headers} {
		t.Run(name, func(t *testing.T) {
			const n = 300
			city := func(i int) string { return fmt.Sprintf("city %d %s", i, strings.Repeat("x", i%50)) }
			var mu sync.Mutex
			var params, results []string
			server := office()
			server.Current = func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
				mu.Lock()
				defer mu.Unlock()
				params = append(params, p.City)
				return weather.Report{City: "answer for " + p.City}, nil
			}
			theirIn, ourOut := io.Pipe()
			ourIn, theirOut := io.Pipe()
			conn := func(r io.ReadCloser, w io.WriteCloser) frame.Conn {
				return frame.NewConn(framing.NewReader(r, 0), framing.NewWriter(w, 0), func() error {
					w.Close()
					return r.Close()
				})
			}
			far := runtime.NewSession(t.Context(), conn(theirIn, theirOut), weather.NewHandler(server), runtime.Options{Logger: quiet})
			near := runtime.NewSession(t.Context(), conn(ourIn, ourOut), nil, runtime.Options{Logger: quiet})
			c := weather.NewClient(near)
			for i := range n {
				report, err := c.Current(t.Context(), weather.CurrentParams{City: city(i)})
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, report.City)
			}
			near.Close()
			near.Wait()
			far.Close()
			far.Wait()
			for i := range n {
				if params[i] != city(i) || results[i] != "answer for "+city(i) {
					t.Fatalf("message %d: params %q, result %q", i, params[i], results[i])
				}
			}
		})
	}
}
