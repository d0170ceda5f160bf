package websocket

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestShutdown: calls in flight are answered, and the peer gets to know why the connection ends.
func TestShutdown(t *testing.T) {
	server, begun, release := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	c, idle := s.must(ClientOptions{}), s.raw()
	done := make(chan error)
	go func() {
		_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		done <- err
	}()
	<-begun
	down := make(chan error)
	go func() { down <- s.handler.Shutdown(context.Background()) }()
	if code := idle.closes(); code != 1001 {
		t.Error(code)
	}
	_, err := s.dial(nil, ClientOptions{})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 503 {
		t.Error(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestShutdownWhileAccepting: a connection that is being accepted when the shutdown begins gets the same reason as the others.
func TestShutdownWhileAccepting(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(hijacked{w, func() {
			go s.handler.Shutdown(context.Background())
			await.Until(t, "the handler closes", s.handler.isClosing)
		}}, r)
	})
	if code := s.raw().closes(); code != 1001 {
		t.Error(code)
	}
}

// TestShutdownAfterAccepting: a call is answered although its connection was accepted so late that the shutdown did not see it.
func TestShutdownAfterAccepting(t *testing.T) {
	server, begun, release := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(hijacked{w, s.handler.mu.Lock}, r) // so that the session starts, and is not known
	})
	c := s.must(ClientOptions{})
	done := make(chan error)
	go func() {
		report, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		if err == nil && report.City != "x" {
			err = errors.New(report.City)
		}
		done <- err
	}()
	<-begun
	s.handler.down = context.Background() // as Shutdown does
	s.handler.mu.Unlock()
	down := make(chan error)
	go func() { down <- s.handler.Shutdown(context.Background()) }()
	time.Sleep(20 * time.Millisecond)
	close(release)
	if err := errors.Join(<-done, <-down, c.Wait()); err != nil {
		t.Error(err)
	}
}

// hijacked calls before when the connection is taken over, which is after the handler has let it in.
type hijacked struct {
	http.ResponseWriter
	before func()
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.before()
	return http.NewResponseController(h.ResponseWriter).Hijack()
}
