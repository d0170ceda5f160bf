package tcp

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// lines is a log that goroutines write to.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// TestAuthPanics: a panic of the function that authenticates closes the connection, and not the server. It is logged, not without limit.
func TestAuthPanics(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	var log lines
	n := 0 // connections are made one after the other
	auth := func(context.Context, net.Conn) (context.Context, error) {
		if n++; n%2 == 0 {
			goruntime.Goexit()
		}
		panic("confidential")
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		o := runtime.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		served <- Serve(ctx, l, weather.NewHandler(new(weather.Server)), WithAuth(auth), WithMaxConns(1), WithOptions(o))
	}()
	for range 20 {
		if got := ends(t, dial(t, l.Addr().String())); strings.Contains(got, "confidential") {
			t.Errorf("the peer gets %q", got)
		}
	}
	cancel()
	if err := <-served; err != context.Canceled {
		t.Error(err)
	}
	text := log.text.String()
	if records := strings.Count(text, "level=ERROR"); records == 0 || records > peerlog.Burst || !strings.Contains(text, "confidential") || !strings.Contains(text, "auth_test.go") {
		t.Errorf("%d records:\n%.2000s", records, text)
	}
}

// TestShutdownAfterAuth: a call is answered although its connection was authenticated so late that the shutdown did not see it.
func TestShutdownAfterAuth(t *testing.T) {
	begun, release := make(chan bool), make(chan bool)
	h := weather.NewHandler(&weather.Server{Current: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}})
	var s *server
	s = newServer(h, newOptions([]Option{WithOptions(runtime.Options{Logger: quiet}), WithAuth(func(ctx context.Context, _ net.Conn) (context.Context, error) {
		s.mu.Lock() // so that the session starts, and is not known
		return ctx, nil
	})}))
	near, far := sockets(t)
	c := NewSession(t.Context(), near, nil)
	s.take(t.Context(), far)
	done := make(chan error)
	go func() {
		_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		done <- err
	}()
	<-begun
	s.down = t.Context() // as shutdown does
	s.mu.Unlock()
	down := make(chan bool)
	go func() {
		s.shutdown()
		close(down)
	}()
	time.Sleep(20 * time.Millisecond)
	close(release)
	if err := errors.Join(<-done, c.Wait()); err != nil {
		t.Error(err)
	}
	<-down
}
