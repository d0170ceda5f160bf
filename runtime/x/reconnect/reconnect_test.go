package reconnect

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ids"
	"github.com/rpcgen-go/rpcgen/runtime/internal/narrow"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// station is a server that may be down.
type station struct {
	t      *testing.T
	server weather.Server

	mu       sync.Mutex
	refusal  error // of connections; nil if they are accepted
	limited  bool  // the client has a small limit
	sessions []*runtime.Session
	dialed   []time.Time
}

func newStation(t *testing.T) *station {
	return &station{t: t, server: weather.Server{
		Way:  runtime.Plain,
		Ping: func(context.Context) error { return nil },
		Current: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			return weather.Report{City: p.City}, ctx.Err()
		},
	}}
}

func (s *station) dial(ctx context.Context) (*runtime.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dialed = append(s.dialed, time.Now())
	if s.refusal != nil {
		return nil, s.refusal
	}
	near, far := pipe.New(0)
	o := runtime.Options{Logger: quiet}
	s.sessions = append(s.sessions, runtime.NewSession(context.Background(), far, weather.NewHandler(&s.server), o))
	if s.limited {
		return runtime.NewSession(ctx, narrow.Conn{Conn: near, Max: 500}, nil, o), nil
	}
	return runtime.NewSession(ctx, near, nil, o), nil
}

// down closes all connections, and refuses others because of err, unless it is nil.
func (s *station) down(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = err
	for _, session := range s.sessions {
		session.Close()
	}
	s.sessions = nil
}

// attempts returns the times between the attempts to connect since the last call.
func (s *station) attempts() (between []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.dialed); i++ {
		between = append(between, s.dialed[i].Sub(s.dialed[i-1]))
	}
	s.dialed = nil
	return between
}

// connect returns a connection to s, which is closed at the end of the test.
func (s *station) connect(o Options) *Conn {
	s.t.Helper()
	o.Logger = quiet
	c, err := Dial(context.Background(), s.dial, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

var errDown = errors.New("connection refused")

// TestReconnect: calls wait while there is no connection, and are answered on the next one.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		c := s.connect(Options{})
		defer s.down(nil)
		defer c.Close()
		client := weather.NewClient(c)
		if err := client.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.down(nil)
		if err := client.Ping(t.Context()); err != nil && !errors.Is(err, runtime.ErrClosed) { // the loss may not have been noticed yet
			t.Error(err)
		}
		synctest.Wait()
		s.down(errDown)
		time.Sleep(time.Second) // the session was short, so the first attempt is delayed
		if err := c.Err(); err != errDown || c.Unwrap() != nil {
			t.Error(err)
		}
		time.AfterFunc(5*time.Second, func() { s.down(nil) })
		begin := time.Now()
		if got, err := client.Current(t.Context(), weather.CurrentParams{City: "Oslo"}); err != nil || got.City != "Oslo" {
			t.Error(got, err)
		}
		if took := time.Since(begin); took < 5*time.Second || took > 20*time.Second {
			t.Error(took)
		}
		if err := c.Err(); err != nil || c.Unwrap() == nil {
			t.Error(err)
		}
	})
}

// TestBackoff: delays grow from one limit to the other, with a random part, and begin anew after a session that has lasted.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		o := Options{MinDelay: time.Second, MaxDelay: 8 * time.Second}
		c := s.connect(o)
		defer s.down(nil)
		defer c.Close()
		time.Sleep(time.Minute)
		s.attempts()
		s.down(errDown)
		time.Sleep(time.Minute)
		got, least := s.attempts(), []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second}
		if len(got) < len(least) {
			t.Fatal(got)
		}
		exact := true
		for i, want := range least {
			if got[i] < want/2 || got[i] > want {
				t.Error("attempt", i, got[i])
			}
			exact = exact && got[i] == want
		}
		if exact {
			t.Error("the delays are not random:", got)
		}
		s.down(nil)
		time.Sleep(time.Minute) // a long session
		s.attempts()
		s.down(nil)
		begin := time.Now()
		if err := weather.NewClient(c).Ping(t.Context()); err != nil && !errors.Is(err, runtime.ErrClosed) {
			t.Error(err)
		}
		synctest.Wait() // until the loss is known
		if err := weather.NewClient(c).Ping(t.Context()); err != nil || time.Since(begin) != 0 {
			t.Error("the first attempt was delayed:", err, time.Since(begin))
		}
	})
}

// TestShortSessions: a server that closes each connection at once is not flooded.
func TestShortSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		dial := func(ctx context.Context) (*runtime.Session, error) {
			session, err := s.dial(ctx)
			s.sessions[len(s.sessions)-1].Close()
			return session, err
		}
		c, err := Dial(t.Context(), dial, Options{Logger: quiet, MinDelay: time.Second, MaxDelay: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(s.attempts()); n > 20 {
			t.Error(n, "attempts")
		}
		c.Close()
	})
}

// TestInFlight: a call in flight fails when the connection is lost, and is not repeated.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		calls := 0
		s.server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
			calls++
			<-ctx.Done()
			return weather.Report{}, ctx.Err()
		}
		c := s.connect(Options{})
		defer s.down(nil)
		defer c.Close()
		failed := make(chan error)
		go func() {
			_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
			failed <- err
		}()
		synctest.Wait()
		s.down(nil)
		err := <-failed
		if lost, ok := errors.AsType[*LostError](err); !ok || !errors.Is(err, runtime.ErrClosed) || !strings.Contains(lost.Error(), "may have been handled") {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if calls != 1 {
			t.Error(calls, "calls")
		}
		if _, err := c.CallBatch(t.Context(), 100, 1, []byte(`[{"jsonrpc":"2.0","id":100,"method":"weather/ping"}]`)); err != nil {
			t.Error(err)
		}
		if err := c.Notify(t.Context(), []byte(`{"jsonrpc":"2.0","method":"weather/ping"}`)); err != nil {
			t.Error(err)
		}
	})
}

// TestTooLarge: a response over the limit fails its call, which is not made again, and the connection stays.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		s.limited = true
		c := s.connect(Options{})
		defer c.Close()
		client := weather.NewClient(c)
		for range 2 {
			_, err := client.Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", 1000)})
			if _, ok := errors.AsType[*frame.TooLargeError](err); !ok {
				t.Error(err)
			}
			if r, err := client.Current(t.Context(), weather.CurrentParams{City: "Paris"}); r.City != "Paris" || err != nil {
				t.Error(r, err)
			}
		}
		if len(s.dialed) != 1 || c.Err() != nil {
			t.Error(len(s.dialed), c.Err())
		}
	})
}

// TestUnavailable: a call waits as long as it may; its error says why there is no connection.
func TestUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		c := s.connect(Options{MaxWait: 3 * time.Second})
		s.down(errDown)
		synctest.Wait()
		begin := time.Now()
		err := weather.NewClient(c).Ping(t.Context())
		if _, ok := errors.AsType[*UnavailableError](err); !ok || !errors.Is(err, errDown) || !errors.Is(err, runtime.ErrClosed) || time.Since(begin) != 3*time.Second {
			t.Error(err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := weather.NewClient(c).Ping(ctx); err != context.DeadlineExceeded {
			t.Error(err)
		}
		failed := make(chan error)
		go func() { failed <- weather.NewClient(c).Ping(context.Background()) }()
		synctest.Wait()
		c.Close()
		if err := <-failed; !errors.Is(err, errClosed) {
			t.Error(err)
		}
		if err := weather.NewClient(c).Ping(t.Context()); !errors.Is(err, errClosed) {
			t.Error(err)
		}
		select {
		case <-c.Done():
		default:
			t.Error("it goes on")
		}
	})
}

// TestGiveUp: a permanent error, too many attempts, and the end of the context end the attempts.
func TestGiveUp(t *testing.T) {
	errToken := errors.New("the token was rejected")
	for name, o := range map[string]Options{
		"permanent": {Permanent: func(err error) bool { return err == errToken }},
		"attempts":  {MaxAttempts: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStation(t)
				c := s.connect(o)
				s.down(errToken)
				<-c.Done()
				if err := weather.NewClient(c).Ping(t.Context()); !errors.Is(err, errToken) {
					t.Error(err)
				}
				if n := len(s.dialed); n != 1+max(o.MaxAttempts, 1) {
					t.Error(n, "attempts")
				}
				c.Close()
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		ctx, cancel := context.WithCancel(t.Context())
		c, err := Dial(ctx, s.dial, Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-c.Done()
		if err := c.Err(); err != context.Canceled {
			t.Error(err)
		}
		s.down(errDown)
		if _, err := Dial(t.Context(), s.dial, Options{}); err != errDown {
			t.Error("the first attempt:", err)
		}
	})
}

// TestIDs: ids do not repeat from session to session, until all are used up, which ends the session.
func TestIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t)
		c := s.connect(Options{})
		defer s.down(nil)
		defer c.Close()
		var got []int64
		for range 3 {
			id, err := c.NextID(2)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
			s.down(nil)
			synctest.Wait()
		}
		if !slices.Equal(got, []int64{1, 3, 5}) {
			t.Error(got)
		}
		c.ids.Set(ids.Bound - 2)
		before := c.Unwrap()
		if id, err := c.NextID(1); id != ids.Bound-1 || err != nil {
			t.Error(id, err)
		}
		if id, err := c.NextID(1); id != 1 || err != nil {
			t.Error(id, err)
		}
		if err := weather.NewClient(c).Ping(t.Context()); err != nil || c.Unwrap() == before {
			t.Error("the session goes on:", err)
		}
	})
}
