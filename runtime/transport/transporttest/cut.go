package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// cutStream is a stream that ends after some bytes, in the middle of what is written or read.
type cutStream struct {
	io.ReadWriteCloser
	write, read atomic.Int64 // how many bytes are left
}

func (c *cutStream) Write(p []byte) (int, error) {
	if left := c.write.Add(-int64(len(p))); left < 0 {
		n := max(0, len(p)+int(left))
		c.ReadWriteCloser.Write(p[:n])
		c.Close()
		return n, io.ErrClosedPipe
	}
	return c.ReadWriteCloser.Write(p)
}

func (c *cutStream) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	if left := c.read.Add(-int64(n)); left < 0 {
		c.Close()
		return max(0, n+int(left)), io.ErrClosedPipe
	}
	return n, err
}

// cutConnections cuts connections of many callers at random places, also in the middle of frames that are written together. Each call
// gets its own answer or an error, and both sessions end.
func cutConnections(t *testing.T, tr Transport) {
	if tr.Raw == nil {
		t.Skip("there is no stream to cut")
	}
	const callers, cuts, most = 32, 24, 20_000
	random := rand.New(rand.NewPCG(1, 2))
	for range cuts {
		stream, conn := tr.Raw(t)
		cut := &cutStream{ReadWriteCloser: stream}
		cut.write.Store(random.Int64N(most))
		cut.read.Store(random.Int64N(most))
		o := runtime.Options{Logger: quiet, ShutdownTimeout: patience}
		server := runtime.NewSession(context.Background(), conn, weather.NewHandler(office()), o)
		client := runtime.NewSession(context.Background(), frame.NewConn(tr.Framing.NewReader(cut, 0), tr.Framing.NewWriter(cut, 0), stream.Close), nil, o)
		failures := make(chan error, callers)
		var all sync.WaitGroup
		for c := range callers {
			all.Go(func() {
				for n := 0; ; n++ {
					if err := roundTrip(t.Context(), client, c*most+n); err != nil {
						failures <- err
						return
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		happens(t, done, "a call neither fails nor gets an answer")
		close(failures)
		for err := range failures {
			if !errors.Is(err, runtime.ErrClosed) {
				t.Error(fmt.Errorf("a call of a connection that was cut: %w", err))
			}
		}
		client.Close()
		ends(t, client)
		ends(t, server)
	}
}
