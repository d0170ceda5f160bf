package natsrpc

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// stalling dials connections that are not read from while it is held.
type stalling struct{ sync.RWMutex }

func (s *stalling) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return &stalled{conn, s}, err
}

type stalled struct {
	net.Conn
	by *stalling
}

func (c *stalled) Read(b []byte) (int, error) {
	c.by.RLock()
	c.by.RUnlock()
	return c.Conn.Read(b)
}

// TestSlowReader: if a client reads so slowly that NATS closes its connection, each of its calls has the whole result, or an error that says what has
// happened, and which limits NATS has if the connection was made again meanwhile.
func TestSlowReader(t *testing.T) {
	const calls, size = 24, 900 << 10
	s := newSite(t, func(o *server.Options) { o.MaxPending = 2 << 20 })
	var begun sync.WaitGroup
	begun.Add(calls)
	s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		begun.Done()
		begun.Wait()
		return weather.Report{City: strings.Repeat("x", size)}, nil
	}), Options{interval: quick})
	reader := new(stalling)
	nc := s.connect(nats.SetCustomDialer(reader))
	conn, err := Dial(nc, subject, nil, ClientOptions{interval: quick, Silence: 30 * quick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	c, ended, lost := weather.NewClient(conn), make(chan error, calls), 0
	reader.Lock()
	for range calls {
		go func() {
			report, err := c.Current(context.Background(), paris)
			if err == nil && len(report.City) != size {
				t.Errorf("the result has %d bytes", len(report.City))
			}
			ended <- err
		}()
	}
	await.Until(t, "the reader is slow", func() bool { return s.nats.NumSlowConsumers() > 0 })
	reader.Unlock() // and NATS is connected to again
	for range calls {
		if err := receive(t, ended, "a call does not end"); err != nil {
			lost++
			if e, ok := errors.AsType[*LostError](err); !ok || strings.Contains(err.Error(), "max_pending") != e.Reconnected {
				t.Error(err)
			}
		}
	}
	if lost == 0 {
		t.Error("no answer was lost")
	}
}
