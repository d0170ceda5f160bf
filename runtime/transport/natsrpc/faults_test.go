package natsrpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// quick makes servers report often, so that tests of silence take little time.
const quick = 20 * time.Millisecond

// always reports that every method is idempotent.
func always(string) bool { return true }

// TestLongCall: a call may take far longer than a client waits for a sign of life.
func TestLongCall(t *testing.T) {
	s := newSite(t)
	s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		time.Sleep(150 * quick)
		return weather.Report{City: "slow"}, nil
	}), Options{interval: quick})
	c := s.client(ClientOptions{interval: quick, Silence: 100 * quick})
	if report, err := c.Current(t.Context(), paris); err != nil || report.City != "slow" {
		t.Errorf("got %+v, %v", report, err)
	}
}

// dying serves a handler that closes its connection to NATS during its first call, as a server that is killed, after it has called before.
func (s *site) dying(before func()) (calls *atomic.Int32) {
	nc := s.connect()
	calls = new(atomic.Int32)
	o := Options{Subject: subject, interval: quick, Runtime: runtime.Options{Logger: quiet}}
	started, err := Start(s.t.Context(), nc, current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		before()
		calls.Add(1)
		nc.Close()
		return weather.Report{}, nil
	}), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { started.Close() })
	return calls
}

// TestKilledServer: a call whose server is killed fails clearly after the silence, and is not sent again.
func TestKilledServer(t *testing.T) {
	s := newSite(t)
	calls := s.dying(func() {})
	c := s.client(ClientOptions{interval: quick, Silence: 10 * quick})
	start := time.Now()
	_, err := c.Current(t.Context(), paris)
	if e, ok := errors.AsType[*LostError](err); !ok || e.Subject != subject || e.Silence < 10*quick {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("it took %s", took)
	}
	await.Until(t, "there was one call", func() bool { return calls.Load() == 1 }) // which may come after the silence
}

// TestIdempotent: calls of idempotent methods are sent again, to another server; so are batches of them.
func TestIdempotent(t *testing.T) {
	for name, o := range map[string]ClientOptions{
		"silence":  {interval: quick, Silence: 50 * quick},
		"deadline": {CallTimeout: 9 * time.Second}, // of which each attempt gets a part
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.dying(func() { s.serve(named("other"), Options{}) })
			o.Idempotent = func(method string) bool { return method == weather.MethodCurrent }
			c := s.dial(nil, o)
			if report, err := weather.NewClient(c).Current(t.Context(), paris); err != nil || report.City != "other" {
				t.Errorf("got %+v, %v", report, err)
			}
		})
	}
	t.Run("batch", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		s.dying(sync.OnceFunc(func() { s.serve(named("other"), Options{}) }))
		c := s.client(ClientOptions{interval: quick, Silence: 50 * quick, Idempotent: always})
		b := c.Batch()
		var reports [2]weather.Report
		pending := []*gen.Pending{b.Current(paris, &reports[0]), b.Current(paris, &reports[1])}
		if err := b.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, p := range pending {
			if p.Err() != nil || reports[i].City != "other" {
				t.Errorf("got %+v, %v", reports[i], p.Err())
			}
		}
	})
	t.Run("batch with a notification", func(t *testing.T) {
		s := newSite(t)
		calls := s.dying(func() {})
		b := s.client(ClientOptions{interval: quick, Silence: 10 * quick, Idempotent: always}).Batch()
		b.Current(paris, nil)
		b.Watch(paris)
		if err := b.Send(t.Context()); !isLost(err) {
			t.Errorf("got %v", err)
		}
		await.Until(t, "there was one call", func() bool { return calls.Load() == 1 })
	})
	t.Run("no server yet", func(t *testing.T) {
		s, sent := newSite(t), 0
		o := ClientOptions{Idempotent: always, Header: func(context.Context, nats.Header) error {
			if sent++; sent == 2 { // there was none for the first message
				s.serve(named("late"), Options{})
			}
			return nil
		}}
		if report, err := s.client(o).Current(t.Context(), paris); err != nil || report.City != "late" {
			t.Errorf("got %+v, %v", report, err)
		}
	})
}

func isLost(err error) bool {
	_, ok := errors.AsType[*LostError](err)
	return ok
}

// TestReconnect: while there is no connection to NATS nothing is sent, and after its return everything works again. Nothing is executed late.
func TestReconnect(t *testing.T) {
	s := newSite(t)
	var executed atomic.Int32
	h := current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		executed.Add(1)
		return weather.Report{}, nil
	})
	served := s.serve(h, Options{})
	c := s.client(ClientOptions{})
	if _, err := c.Current(t.Context(), paris); err != nil {
		t.Fatal(err)
	}
	s.stop()
	await.Until(t, "NATS is away", func() bool { return served.Ready() != nil })
	if err := served.Ready(); !errors.Is(err, ErrDisconnected) {
		t.Errorf("got %v", err)
	}
	await.Until(t, "NATS is away from the client", func() bool { return errors.Is(c.Ping(t.Context()), ErrDisconnected) })
	for range 10 {
		if _, err := c.Current(t.Context(), paris); !errors.Is(err, ErrDisconnected) {
			t.Errorf("got %v", err)
		}
		if err := c.Watch(t.Context(), paris); !errors.Is(err, ErrDisconnected) {
			t.Errorf("got %v", err)
		}
	}
	s.start()
	await.Until(t, "NATS is back", func() bool { return served.Ready() == nil && c.Ping(t.Context()) == nil })
	if n := executed.Load(); n != 1 {
		t.Errorf("%d calls were executed", n)
	}
	if _, err := c.Current(t.Context(), paris); err != nil {
		t.Error(err)
	}
}

// TestLostAnswer: a call that is answered while its client has no connection fails clearly; one that is still running then is answered.
func TestLostAnswer(t *testing.T) {
	s := newSite(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		<-release
		return weather.Report{City: "late"}, nil
	}), Options{interval: quick})
	nc := s.connect()
	over := func(silence time.Duration) *weather.Client {
		conn, err := Dial(nc, subject, nil, ClientOptions{interval: quick, Silence: silence})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return weather.NewClient(conn)
	}
	c, soon := over(patience), over(10*quick) // which finds soon that a message was lost
	done := make(chan error, 1)
	go func() {
		_, err := c.Current(context.Background(), paris)
		done <- err
	}()
	receive(t, begun, "the call did not start")
	s.stop()
	s.start()
	await.Until(t, "the server answers", func() bool { return soon.Ping(t.Context()) == nil })
	close(release)
	if err := receive(t, done, "the call does not end"); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestUnreachable: a server does not start without NATS.
func TestUnreachable(t *testing.T) {
	nc, err := nats.Connect("nats://127.0.0.1:1", nats.RetryOnFailedConnect(true), nats.MaxReconnects(0), nats.ReconnectWait(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := Start(t.Context(), nc, named("a"), Options{Subject: subject}); err == nil {
		t.Error("it started")
	}
	c, err := Dial(nc, subject, nil, ClientOptions{})
	if err == nil {
		defer c.Close()
		_, err = weather.NewClient(c).Current(t.Context(), paris)
	}
	if !errors.Is(err, ErrDisconnected) && !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
