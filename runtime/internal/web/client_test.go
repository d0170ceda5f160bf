package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
)

// closing is a connection that its server can close.
type closing struct {
	net.Conn
	server, closed chan struct{}
	once           atomic.Bool
}

func (c *closing) Read([]byte) (int, error) {
	<-c.server
	return 0, io.EOF
}

func (c *closing) Close() error {
	if c.once.CompareAndSwap(false, true) {
		close(c.closed)
	}
	return nil
}

func (c *closing) Write([]byte) (int, error) {
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	default:
		panic("a request is written before it is known that the connection has ended")
	}
}

// TestClosedIdle: the server closes a connection when it has been picked for a request and nothing was sent. The request is sent on another one, whole.
func TestClosedIdle(t *testing.T) {
	bodies := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer server.Close()
	for gone, want := range map[int]bool{1: true, 3: true, mostIdle + 1: false} {
		transport, dials := NewTransport(), 0
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials <= gone {
				return &closing{server: make(chan struct{}), closed: make(chan struct{})}, nil
			}
			return dial(ctx, network, address)
		}
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if c, ok := info.Conn.(*closing); ok {
				close(c.server)
				<-c.closed
			}
		}})
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("order"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: transport}).Do(r)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "closed") {
			t.Errorf("%d connections are closed: %v", gone, err)
		}
		if err == nil {
			resp.Body.Close()
			if got := <-bodies; got != "order" {
				t.Errorf("got %q", got)
			}
		}
		transport.CloseIdleConnections()
	}
	if len(bodies) > 0 {
		t.Errorf("%q is sent again", <-bodies)
	}
}

// TestGoneAway: a server that answers each request over HTTP/2 with the end of its connection gets few connections.
func TestGoneAway(t *testing.T) {
	var conns atomic.Int32
	server := httptest.NewUnstartedServer(nil)
	server.EnableHTTP2 = true
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) {
		if conns.Add(1) > 1000 {
			t.Error("there is no end of connections")
			server.Listener.Close()
		}
		io.ReadFull(c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
		c.Write([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00" + "\x00\x00\x08\x07\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 8))) // SETTINGS, GOAWAY
		io.Copy(io.Discard, c)
	}}
	server.StartTLS()
	defer server.Close()
	transport := NewTransport()
	transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(server.URL)
	if !errors.Is(err, errDials) {
		t.Error(resp, err)
	}
	if n := conns.Load(); n > mostDials {
		t.Errorf("%d connections are made", n)
	}
}
