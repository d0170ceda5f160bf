package reconnect

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// exchange connects a server and a client by reconnect. The client serves current, and its answers hold "account of"; those of the server
// hold "work for".
func exchange(t *testing.T, during func(ctx context.Context, account *weather.Client) error) (c *Conn, server *runtime.Session) {
	t.Helper()
	o := runtime.Options{Logger: quiet}
	sessions := make(chan *runtime.Session, 1)
	work := &weather.Server{
		Way: runtime.Plain,
		Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
			return weather.Report{City: "account of " + p.City}, nil
		},
		Slow: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			return weather.Report{City: "work for " + p.City}, weather.NewClient(runtime.PeerFrom(ctx)).Ping(ctx)
		},
	}
	callbacks := &weather.Server{Way: runtime.Plain}
	asks := func(ctx context.Context) error { return during(ctx, weather.NewClient(runtime.PeerFrom(ctx))) }
	callbacks.Ping = asks
	callbacks.Watch = func(ctx context.Context, _ weather.CurrentParams) error { return asks(ctx) }
	c, err := Dial(t.Context(), func(ctx context.Context) (*runtime.Session, error) {
		near, far := pipe.New(0)
		sessions <- runtime.NewSession(context.Background(), far, weather.NewHandler(work), o)
		return runtime.NewSession(ctx, near, weather.NewHandler(callbacks), o), nil
	}, Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	server = <-sessions
	t.Cleanup(func() {
		c.Close()
		server.Close()
		server.Wait()
	})
	return c, server
}

// TestCallbacks: requests of the Conn, and those of handlers to their peer on the same session, get their own responses.
func TestCallbacks(t *testing.T) {
	t.Run("during a call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, _ := exchange(t, func(ctx context.Context, account *weather.Client) error {
				report, err := account.Current(ctx, weather.CurrentParams{City: "bob"})
				if err == nil && report.City != "account of bob" {
					t.Error("the callback got", report)
				}
				return err
			})
			report, err := weather.NewClient(c).Slow(t.Context(), weather.CurrentParams{City: "ann"})
			if err != nil || report.City != "work for ann" {
				t.Error(report, err)
			}
		})
	})
	t.Run("at the same time as calls", func(t *testing.T) {
		const n = 200
		var callbacks sync.WaitGroup
		callbacks.Add(n)
		c, server := exchange(t, func(ctx context.Context, account *weather.Client) error {
			defer callbacks.Done()
			report, err := account.Current(ctx, weather.CurrentParams{City: "bob"})
			if err != nil || report.City != "account of bob" {
				t.Error("the callback got", report, err)
			}
			return nil
		})
		var calls sync.WaitGroup
		calls.Go(func() {
			for range n {
				if err := weather.NewClient(server).Watch(t.Context(), weather.CurrentParams{City: "bob"}); err != nil {
					t.Error(err)
				}
			}
		})
		for range 4 {
			calls.Go(func() {
				for range n {
					report, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "ann"})
					if err != nil || report.City != "account of ann" {
						t.Error("the call got", report, err)
					}
				}
			})
		}
		calls.Wait()
		callbacks.Wait()
	})
	t.Run("while dial goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStation(t)
			stop := make(chan struct{})
			var alive sync.WaitGroup
			c, err := Dial(t.Context(), func(ctx context.Context) (*runtime.Session, error) {
				session, err := s.dial(ctx)
				if err != nil {
					return nil, err
				}
				alive.Go(func() { // keep-alive
					for range 100 {
						if err := weather.NewClient(session).Ping(ctx); err != nil && !errors.Is(err, runtime.ErrClosed) && ctx.Err() == nil {
							t.Error(err)
						}
					}
					<-stop
				})
				return session, nil
			}, Options{Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 100 {
				report, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "ann"})
				if lost := (*LostError)(nil); err != nil && !errors.As(err, &lost) || err == nil && report.City != "ann" {
					t.Error(report, err)
				}
				if i%10 == 0 {
					s.down(nil)
				}
			}
			close(stop)
			c.Close()
			alive.Wait()
			s.down(nil)
		})
	})
}

// TestOtherContext: a session that would count its requests for itself is refused.
func TestOtherContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		_, err := Dial(t.Context(), func(context.Context) (*runtime.Session, error) { return s.dial(context.Background()) }, Options{Logger: quiet})
		if err != errOtherContext {
			t.Error(err)
		}
		s.down(nil)
	})
}
