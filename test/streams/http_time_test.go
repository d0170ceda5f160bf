package streams

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// writer is an [http.ResponseWriter] in memory, with deadlines.
type writer struct {
	mu       sync.Mutex
	header   http.Header
	body     strings.Builder
	deadline time.Time
	stuck    bool // nobody reads
}

func (w *writer) Header() http.Header { return w.header }
func (w *writer) WriteHeader(int)     {}
func (w *writer) Flush()              {}

// SetWriteDeadline implements what [http.ResponseController] looks for.
func (w *writer) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

// Write runs in a bubble.
func (w *writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stuck {
		time.Sleep(time.Until(w.deadline))
		return 0, context.DeadlineExceeded
	}
	return w.body.Write(b)
}

// timed sends a line each time that a time passes.
type timed struct {
	service
	times []time.Duration
}

// LogsTail runs in a bubble.
func (s timed) LogsTail(ctx context.Context, _ rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	defer func() { s.ended <- err }()
	for _, d := range s.times {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return result, context.Cause(ctx)
		}
		if err := out.Send(ctx, rpc.Line{}); err != nil {
			return result, err
		}
		result.Lines++
	}
	return result, nil
}

// TestHTTPTime: a quiet stream has a comment every 15 seconds, the time of a call does not end it, and that of a write is one of each item.
func TestHTTPTime(t *testing.T) {
	serve := func(w *writer, server rpc.Server) {
		h := rpchttp.NewHandler(rpc.NewHandler(server), rpchttp.Options{CallTimeout: time.Second, WriteTimeout: 10 * time.Second, Runtime: runtime.Options{Logger: quiet}})
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"logs/tail","params":{"file":"a"}}`))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
	}
	synctest.Test(t, func(t *testing.T) {
		s := timed{service{ended: make(chan error, 1)}, []time.Duration{50 * time.Second, 14 * time.Second, 16 * time.Second}}
		w := &writer{header: http.Header{}}
		serve(w, s)
		var kinds strings.Builder
		for lines := bufio.NewScanner(strings.NewReader(w.body.String())); lines.Scan(); {
			switch line := lines.Text(); {
			case line == ":":
				kinds.WriteByte('c')
			case strings.HasPrefix(line, `data: {"jsonrpc":"2.0","method":`):
				kinds.WriteByte('i')
			case strings.HasPrefix(line, `data: {"jsonrpc":"2.0","id":1,"result":{"lines":3}}`):
				kinds.WriteByte('r')
			}
		}
		if err := <-s.ended; err != nil || kinds.String() != "cccii"+"cir" || !w.deadline.IsZero() {
			t.Error(err, kinds.String(), w.deadline)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := timed{service{ended: make(chan error, 1)}, []time.Duration{0, 0}}
		began := time.Now()
		serve(&writer{header: http.Header{}, stuck: true}, s)
		if err := <-s.ended; !errors.Is(err, runtime.ErrClosed) || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Error(err, time.Since(began))
		}
	})
}
