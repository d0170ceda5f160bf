package mcpnats

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestDropped: a replica that takes messages so slowly that its connection drops them learns of those that are dropped later, too.
func TestDropped(t *testing.T) {
	s := newSite(t)
	b, other := s.backplane(Options{interval: 50 * time.Millisecond}), s.backplane(Options{})
	blocked, missed := make(chan struct{}), make(chan struct{}, 1000)
	leave, err := b.Join(mcpcluster.Replica{
		Name: "home", Heard: func([]byte) { <-blocked }, Missed: func() { missed <- struct{}{} }, Answer: func(context.Context, []byte, func([]byte, bool) error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	defer close(blocked)
	tell := func(times int) {
		t.Helper()
		for range times {
			if err := other.Tell(make([]byte, 900<<10)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(other.nc.FlushTimeout(patience), b.nc.FlushTimeout(patience)); err != nil {
				t.Fatal(err)
			}
		}
	}
	heard := func(what string) {
		t.Helper()
		select {
		case <-missed:
		case <-time.After(patience):
			t.Fatalf("the replica does not learn of %s", what)
		}
	}
	tell(nats.DefaultSubPendingBytesLimit/(900<<10) + 2)
	heard("the first message that was dropped")
	tell(1)
	heard("a message that was dropped later")
}

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
	n, err := c.Conn.Read(b)
	c.by.RLock()
	c.by.RUnlock()
	return n, err
}

// TestSlowReplica: a replica that stands still for so long that NATS closes its connection as that of a slow consumer has missed messages. Its sessions go on,
// each call is answered once or has an error, and clients hear of changes again.
func TestSlowReplica(t *testing.T) {
	f := newFleet(t, 0)
	f.site.stop()
	f.site.o.MaxPending, f.site.o.MaxPayload = 2<<20, 1<<20
	f.site.start()
	reader := new(stalling)
	stands, other, teller := f.add(nats.SetCustomDialer(reader)), f.add(), f.site.backplane(Options{})
	c, updated := f.connect(t, mcp.Handshake)
	sub, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"shop://catalogue"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for range 3 {
		if err := order(c); err != nil {
			t.Fatal(err)
		}
		slow, reconnects := f.site.nats.NumSlowConsumers(), stands.nc.Stats().Reconnects
		reader.Lock()
		ended := make(chan error, 1)
		go func() { ended <- order(c) }()
		filler := make([]byte, 512<<10)
		await.Until(t, "the replica is a slow consumer", func() bool { // and no other one, because that reads each message before the next one
			if err := errors.Join(teller.nc.Publish("mcp.all", filler), teller.nc.FlushTimeout(patience), other.nc.FlushTimeout(patience)); err != nil {
				t.Fatal(err)
			}
			return f.site.nats.NumSlowConsumers() > slow
		})
		reader.Unlock()
		if err := <-ended; err != nil {
			t.Log("meanwhile:", err)
		}
		await.Until(t, "the replica knows it", func() bool { return stands.nc.Stats().Reconnects > reconnects }) // some calls are answered without NATS
		await.Until(t, "calls are answered", func() bool { return order(c) == nil })
		hears(t, f, updated)
	}
}
