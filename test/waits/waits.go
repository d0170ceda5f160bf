// Package waits holds connections to a server in the states that SECURITY.md lists, and sees each of them end within its limits.
package waits

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// listener accepts the connections that the test makes.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// held is the server's side of a connection. Nothing is kept of what it writes, so that each write waits for the client.
type held struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

func (h *held) Close() error {
	h.once.Do(func() { close(h.ended) })
	return h.Conn.Close()
}

func (h *held) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000} }

// State is what a client sends, and how long the connection may last then.
type State struct {
	Name    string
	Sent    string
	Trickle time.Duration // between bytes that are sent afterwards; zero means that none are
	Within  time.Duration
	TLS     *tls.Config // of the client; nil without it
}

const headers, body, answer, idle = 10 * time.Second, 30 * time.Second, 30 * time.Second, 2 * time.Minute

// request is one with a body of which only the beginning is sent.
func request(method, path, kind, sent string, length int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAccept: application/json, text/event-stream\r\nContent-Length: "+
		"%d\r\n\r\n%s", method, path, kind, length, sent)
}

func states() []State {
	all := []State{
		{Name: "nothing", Within: headers},
		{Name: "half a header", Sent: "POST /rpc HTTP/1.1\r\nHost: lo", Within: headers},
		{Name: "a header in bytes", Sent: "POST /rpc HTTP/1.1\r\nHost: lo", Trickle: time.Second, Within: headers},
		{Name: "answers that nobody reads", Sent: strings.Repeat(request("GET", "/nowhere", "", "", 0), 100), Within: answer},
		{Name: "results that nobody reads", Sent: strings.Repeat(request("POST", "/rpc", "application/json", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			40), 100), Within: answer},
		{Name: "idle after an answer", Sent: request("GET", "/nowhere", "", "", 0), Within: idle},
	}
	for _, path := range []string{"/livez", "/readyz"} {
		all = append(all, State{Name: "answers of " + path + " that nobody reads", Sent: strings.Repeat(request("GET", path, "", "", 0), 100), Within: answer})
	}
	for _, path := range []string{"/rpc", "/nowhere", "/.well-known/oauth-protected-resource/rpc", "/livez", "/readyz"} {
		for _, method := range []string{"POST", "GET", "DELETE", "PUT", "OPTIONS"} {
			for _, kind := range []string{"application/json", "text/html"} {
				all = append(all,
					State{Name: method + " " + path + " " + kind + " without its body", Sent: request(method, path, kind, "", 100_000), Within: body + answer},
					State{Name: method + " " + path + " " + kind + " with a body in bytes", Sent: request(method, path, kind, "{", 100_000),
						Trickle: 5 * time.Second, Within: body + answer},
				)
			}
		}
	}
	return all
}

// hold brings a connection into a state, and reports how long it has lasted.
func hold(l listener, s State, reads bool, ticks <-chan time.Time) (lasted time.Duration, ended bool) {
	client, server := net.Pipe()
	h := &held{Conn: server, ended: make(chan struct{})}
	if s.TLS != nil {
		client = tls.Client(client, s.TLS)
	}
	began := time.Now()
	l <- h
	defer client.Close()
	go func() {
		if _, err := io.WriteString(client, s.Sent); err != nil || s.Trickle == 0 {
			return
		}
		for {
			select {
			case <-ticks:
				_, _ = client.Write([]byte("1"))
			case <-h.ended:
				return
			}
		}
	}()
	if reads {
		go io.Copy(io.Discard, client)
	}
	select {
	case <-h.ended:
		return time.Since(began), true
	case <-time.After(time.Hour):
		return time.Hour, false
	}
}

// Test fails if a connection of which the peer stops halfway lasts longer than the limits of its State, whether the peer reads what is answered or
// not. The function serves at the path /rpc until its context ends. More states are those of the server alone.
func Test(t *testing.T, serve func(ctx context.Context, l net.Listener) error, more ...State) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // timers of one bubble that two processors run at once break the race detector of Go 1.26
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l := make(listener)
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = serve(ctx, l)
		}()
		var all sync.WaitGroup
		for _, s := range append(states(), more...) {
			for _, reads := range []bool{true, false} {
				all.Go(func() {
					ticks := time.NewTicker(cmp.Or(s.Trickle, time.Hour))
					defer ticks.Stop()
					within := s.Within
					if reads {
						within += idle
					}
					if lasted, ended := hold(l, s, reads, ticks.C); !ended || lasted > within+time.Second {
						t.Errorf("%s, reads %v: it lasts %v, and not %v", s.Name, reads, lasted, within)
					}
				})
			}
		}
		all.Wait()
		stop()
		close(l)
		<-served
	})
}
