package mcpnats

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// answering joins a replica home that sends an answer: parts of a size, the last one with last set. The channel gets the error of the last send.
func answering(t *testing.T, b *Backplane, parts, size int) (sent <-chan error) {
	done, part := make(chan error, 1), make([]byte, size)
	leave, err := b.Join(mcpcluster.Replica{Name: "home", Heard: func([]byte) {}, Missed: func() {}, Answer: func(_ context.Context, _ []byte, send func([]byte, bool) error) {
		var err error
		for i := 0; i < parts && err == nil; i++ {
			err = send(part, i == parts-1)
		}
		done <- err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	return done
}

// TestSlowReader: an answer that is larger than what may wait arrives whole, however slowly it is read: the replica that sends it waits, also if NATS
// carries it in one message.
func TestSlowReader(t *testing.T) {
	for name, c := range map[string]struct{ parts, size, payload int }{
		"one large part": {1, 2*maxWaiting + 7, 1 << 20}, "large messages": {1, 2*maxWaiting + 7, 2 * maxWaiting}, "many parts": {5_000, 10, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.stop()
			s.o.MaxPayload = int32(c.payload)
			s.o.MaxPending = 64 << 20
			s.start()
			answering(t, s.backplane(Options{}), c.parts, c.size)
			slow, bytes := s.backplane(Options{}), 0
			err := slow.Ask(within(t), "home", nil, func(part []byte) error {
				for wait := 150; bytes == 0 && wait > 0 && !slow.full(); wait-- {
					time.Sleep(time.Millisecond)
				}
				bytes += len(part)
				return nil
			})
			if err != nil || bytes != c.parts*c.size {
				t.Errorf("%d of %d bytes, %v", bytes, c.parts*c.size, err)
			}
		})
	}
}

// TestReaderGone: a replica that waits for parts to be read gives up when the one that reads them has died or has ended.
func TestReaderGone(t *testing.T) {
	s := newSite(t)
	sent := answering(t, s.backplane(Options{interval: 20 * time.Millisecond}), 1, 2*maxWaiting)
	dying := s.backplane(Options{})
	asked := make(chan error, 1)
	go func() {
		asked <- dying.Ask(context.Background(), "home", nil, func([]byte) error {
			dying.nc.Close()
			return context.Canceled
		})
	}()
	if err := <-sent; !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a reader that has died: got %v", err)
	}
	<-asked
	sent = answering(t, s.backplane(Options{Name: "calm"}), 1, 2*maxWaiting)
	wanted := errors.New("enough")
	if err := s.backplane(Options{Name: "calm"}).Ask(within(t), "home", nil, func([]byte) error { return wanted }); !errors.Is(err, wanted) {
		t.Errorf("got %v", err)
	}
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Errorf("a reader that has ended: got %v", err)
	}
}

// TestFormerVersions: a replica does not wait for one of a former version, which does not say what it reads; and one of a former version, which does not
// wait, makes the request of a slow reader fail with the limit.
func TestFormerVersions(t *testing.T) {
	s := newSite(t)
	b := s.backplane(Options{})
	sent := answering(t, b, 1, 2*maxWaiting)
	if err := s.connect().PublishRequest("mcp.ask.home", nats.NewInbox(), nil); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	nc, all := s.connect(), make(chan error, 1)
	if _, err := nc.Subscribe("mcp.ask.former", func(m *nats.Msg) {
		a := &answer{b: b, name: "former", reply: m.Reply}
		all <- errors.Join(a.send(make([]byte, 2*maxWaiting), true), b.nc.Flush())
	}); err != nil {
		t.Fatal(err)
	}
	nc.Flush()
	slow := s.backplane(Options{})
	err := slow.Ask(within(t), "former", nil, func([]byte) error {
		await.Until(t, "no more may wait", slow.full)
		return nil
	})
	if err := <-all; err != nil {
		t.Error(err)
	}
	if err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes of an answer wait") {
		t.Errorf("got %v", err)
	}
}

// TestStoodStill: a replica that stood still for long does not take the one that it waits for to be lost before it has seen what has come meanwhile; and it does after
// three intervals without a sign of life.
func TestStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = time.Second
		b, p := &Backplane{o: Options{interval: interval}}, &parts{filled: make(chan struct{}, 1)}
		come := func(part, last string) {
			p.add(&nats.Msg{Header: nats.Header{partHeader: {part}, lastHeader: {last}}}, stamp{})
		}
		come("1", "")
		last, err := b.read(t.Context(), p, func([]byte) error {
			if p.taken == 1 {
				time.Sleep(10 * interval)
				time.AfterFunc(interval/2, func() { come("2", "1") })
			}
			return nil
		})
		if !last || err != nil {
			t.Errorf("after standing still: %t, %v", last, err)
		}
		began := time.Now()
		if _, err := b.read(t.Context(), p, nil); !errors.Is(err, mcpcluster.ErrLost) || time.Since(began) != silence*interval {
			t.Errorf("without a sign of life: %v after %s", err, time.Since(began))
		}
	})
}

// full reports whether no more parts of an answer may wait.
func (b *Backplane) full() bool {
	for _, p := range b.asked.Values() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err != nil {
			return true
		}
	}
	return false
}
