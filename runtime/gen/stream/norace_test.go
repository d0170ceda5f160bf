//go:build !race

package stream_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// sink is a connection that reads one request, and takes all that is written.
type sink struct {
	request chan []byte
	closed  chan struct{}
	once    sync.Once
}

func (s *sink) ReadFrame() ([]byte, error) {
	select {
	case msg := <-s.request:
		return msg, nil
	case <-s.closed:
		return nil, io.EOF
	}
}

func (*sink) WriteFrame([]byte) error { return nil }

func (s *sink) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// TestSendAllocatesNothing: sending an item takes no memory.
func TestSendAllocatesNothing(t *testing.T) {
	allocated := make(chan float64, 1)
	conn := &sink{request: make(chan []byte, 1), closed: make(chan struct{})}
	s := runtime.NewSession(t.Context(), conn, &counter{forms["request"], func(_ context.Context, send func(int) error) error {
		allocated <- testing.AllocsPerRun(1000, func() {
			if err := send(7); err != nil {
				t.Error(err)
			}
		})
		return nil
	}}, runtime.Options{})
	conn.request <- []byte(`{"jsonrpc":"2.0","id":1,"method":"count"}`)
	if got := <-allocated; got > 0 {
		t.Error(got)
	}
	s.Close()
	s.Wait()
}
