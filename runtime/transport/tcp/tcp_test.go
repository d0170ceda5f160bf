package tcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func TestMain(m *testing.M) { leak.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// sockets returns the two ends of a connection.
func sockets(t testing.TB) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func TestContract(t *testing.T) {
	for name, framing := range map[string]frame.Framing{"lines": frame.Lines, "headers": frame.Headers} {
		o := newOptions([]Option{WithFraming(framing), WithMaxFrame(transporttest.MaxFrame)})
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, transporttest.Transport{
				Framing: framing,
				Connect: func(t testing.TB) (client, server frame.Conn) {
					c, s := sockets(t)
					return newConn(c, o, nil), newConn(s, o, nil)
				},
				Raw: func(t testing.TB) (io.ReadWriteCloser, frame.Conn) {
					c, s := sockets(t)
					return c, newConn(s, o, nil)
				},
			})
		})
	}
}

func ping() *weather.Server {
	return &weather.Server{Way: runtime.Plain, Ping: func(context.Context) error { return nil }}
}

// start serves h and returns the address and a way to stop.
func start(t *testing.T, h runtime.Handler, opts ...Option) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	opts = append(opts, WithOptions(runtime.Options{Logger: quiet}))
	go func() { done <- Serve(ctx, l, h, opts...) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { stop() })
	return l.Addr().String(), stop
}

func TestServeAndDial(t *testing.T) {
	address, stop := start(t, weather.NewHandler(ping()))
	s, err := Dial(t.Context(), address, nil, WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	if err := weather.NewClient(s).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != context.Canceled {
		t.Fatalf("got %v", err)
	}
	<-s.Done()
}

func TestServeLetsCallsEnd(t *testing.T) {
	server, started := ping(), make(chan struct{})
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(started)
		time.Sleep(50 * time.Millisecond)
		return weather.Report{City: p.City}, ctx.Err()
	}
	address, stop := start(t, weather.NewHandler(server))
	s, err := Dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := weather.NewClient(s).Current(context.Background(), weather.CurrentParams{City: "x"})
		done <- err
	}()
	<-started
	stop()
	if err := <-done; err != nil {
		t.Fatalf("the call in flight got %v", err)
	}
	<-s.Done()
}

func TestServeLimitsConnections(t *testing.T) {
	address, stop := start(t, weather.NewHandler(ping()), WithMaxConns(1))
	first, err := Dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := weather.NewClient(first).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := Dial(t.Context(), address, nil, WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	err = weather.NewClient(second).Ping(t.Context())
	if refused, ok := errors.AsType[*runtime.Error](err); !ok || !errors.Is(err, runtime.ErrClosed) || !strings.Contains(refused.Message, "too many connections") {
		t.Fatalf("got %v", err)
	}
	second.Wait()
	first.Close()
	first.Wait()
	again := func() bool {
		third, err := Dial(t.Context(), address, nil, WithOptions(runtime.Options{Logger: quiet}))
		if err != nil {
			return false
		}
		defer third.Close()
		return weather.NewClient(third).Ping(t.Context()) == nil
	}
	await.Until(t, "there is room after a connection was closed", again)
	stop()
}

// TestHalfClose: a peer that sends one request and then ends its output, such as nc, is still answered.
func TestHalfClose(t *testing.T) {
	address, _ := start(t, weather.NewHandler(ping()))
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`)
	c.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(c)
	if want := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"; err != nil || string(got) != want {
		t.Fatalf("got %s, %v", got, err)
	}
}

// TestInterrupt: an interruption between two messages ends a read and loses nothing; inside a message it changes nothing, nor does it
// change the deadline of one.
func TestInterrupt(t *testing.T) {
	for _, framing := range []frame.Framing{frame.Lines, frame.Headers} {
		o := newOptions([]Option{WithFraming(framing), WithMessageTimeout(time.Minute)})
		there, here := net.Pipe()
		c := newConn(here, o, nil)
		type read struct {
			frame string
			err   error
		}
		reads := make(chan read, 1000) // an interruption may come twice
		go func() {
			for {
				p, err := c.ReadFrame()
				reads <- read{string(p), err}
				if err != nil && err != frame.ErrInterrupted {
					return
				}
			}
		}()
		var message bytes.Buffer
		framing.NewWriter(&message, 0).WriteFrame([]byte("hello"))
		for cut := range message.Len() {
			c.Interrupt()
			if got := <-reads; got.err != frame.ErrInterrupted {
				t.Fatalf("%v: got %+v", framing, got)
			}
			there.Write(message.Bytes()[:cut])
			if cut > 0 {
				c.Interrupt()
			}
			there.Write(message.Bytes()[cut:])
			got := <-reads
			for got.err == frame.ErrInterrupted {
				got = <-reads
			}
			if got.frame != "hello" || got.err != nil {
				t.Errorf("%v, cut after %d: got %+v", framing, cut, got)
			}
		}
		there.Close()
		for got := range reads {
			if got.err != frame.ErrInterrupted {
				break
			}
		}
	}
}
