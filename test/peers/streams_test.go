package peers

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
	streams "github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// The streams of a test, and the items of each.
const (
	manyStreams = 200
	manyItems   = 20
)

// Nums is what go-ethereum serves.
type Nums struct{}

// Numbers sends the numbers below n.
func (Nums) Numbers(ctx context.Context, n int) (*rpc.Subscription, error) {
	return Service{}.Count(ctx, n)
}

// serveEthereum serves a service with go-ethereum, and returns what connects to it.
func serveEthereum(t *testing.T, name string, service any) map[string]func(ctx context.Context) (runtime.Conn, error) {
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	if err := server.RegisterName(name, service); err != nil {
		t.Fatal(err)
	}
	path := socket(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go server.ServeListener(l)
	url := ws(site(t, server.WebsocketHandler([]string{"*"})))
	return map[string]func(ctx context.Context) (runtime.Conn, error){
		"WebSocket": func(ctx context.Context) (runtime.Conn, error) {
			return websocket.Dial(ctx, url, nil, websocket.ClientOptions{})
		},
		"IPC": func(ctx context.Context) (runtime.Conn, error) { return tcp.DialUnix(ctx, path, nil) },
	}
}

// TestItemsOfEthereum: a generated client at go-ethereum's server gets all items of many streams, in their order, twice.
func TestItemsOfEthereum(t *testing.T) {
	for name, dial := range serveEthereum(t, "nums", Nums{}) {
		t.Run(name, func(t *testing.T) {
			conn, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.(interface{ Close() error }).Close()
			client := streams.NewClient(conn)
			for range 2 {
				var got atomic.Int64
				var all sync.WaitGroup
				for range manyStreams {
					all.Go(func() {
						next := uint64(0)
						for n, err := range client.NumsSubscribe(t.Context(), streams.NumsSubscribeParams{Count: manyItems}) {
							if err != nil || n != next {
								t.Error(n, next, err)
								return
							}
							got.Add(1)
							if next++; next == manyItems {
								break
							}
						}
					})
				}
				all.Wait()
				if got.Load() != manyStreams*manyItems {
					t.Error(got.Load())
				}
			}
		})
	}
}

// numbers serves streams to the clients of others.
type numbers struct {
	streams.UnimplementedServer
	ended chan error
}

func (s numbers) NumsSubscribe(ctx context.Context, p streams.NumsSubscribeParams, out streams.NumsSubscribeStream) error {
	for began := time.Now(); time.Since(began) < time.Millisecond; { // works before its stream is open
	}
	for n := range uint64(p.Count) {
		if err := out.Send(ctx, n); err != nil {
			return err
		}
	}
	<-ctx.Done()
	s.ended <- context.Cause(ctx)
	return ctx.Err()
}

func (s numbers) LogsTail(ctx context.Context, p streams.LogsTailParams, out streams.LogsTailStream) (result streams.LogsTailResult, err error) {
	for ; result.Lines < p.Most.Or(0); result.Lines++ {
		if err := out.Send(ctx, streams.Line{Seq: result.Lines}); err != nil {
			return result, err
		}
	}
	return result, nil
}

// serveNumbers serves streams over TCP or a socket, and returns the service.
func serveNumbers(t *testing.T, l net.Listener, options ...tcp.Option) numbers {
	s := numbers{ended: make(chan error, 2*manyStreams)}
	serveStreams(t, l, s, options...)
	return s
}

// serveStreams serves the streams of a server.
func serveStreams(t *testing.T, l net.Listener, s streams.Server, options ...tcp.Option) {
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	quiet := tcp.WithOptions(runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	go func() { served <- tcp.Serve(ctx, l, streams.NewHandler(s), append(options, quiet)...) }()
	t.Cleanup(func() { stop(); <-served })
}

// TestEthereumSubscribes: go-ethereum's client gets all items of streams whose handlers work before they send, twice, and ends the streams.
func TestEthereumSubscribes(t *testing.T) {
	path := socket(t)
	l, err := tcp.ListenUnix(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := serveNumbers(t, l)
	c, err := rpc.DialContext(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		var all sync.WaitGroup
		for range manyStreams {
			all.Go(func() {
				items := make(chan uint64)
				sub, err := c.Subscribe(t.Context(), "nums", items, "numbers", manyItems)
				if err != nil {
					t.Error(err)
					return
				}
				defer sub.Unsubscribe()
				for want := range uint64(manyItems) {
					select {
					case n := <-items:
						if n != want {
							t.Error(n, want)
						}
					case err := <-sub.Err():
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		for range manyStreams {
			if err := <-s.ended; err == nil || err.Error() != "the peer has ended the stream" {
				t.Error(err)
			}
		}
	}
}

// TestItemsElsewhere: the clients of others take the items of the default form as notifications, before the response.
func TestItemsElsewhere(t *testing.T) {
	for name, p := range peers {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			serveNumbers(t, l, tcp.WithFraming(p.framing))
			const most = 50
			notes := make(chan string, most)
			c := p.dial(t, l.Addr().String(), func(method string, params []byte) {
				var item struct{ Item struct{ Seq uint64 } }
				if err := json.Unmarshal(params, &item); err != nil || method != "rpc.item" {
					t.Error(method, string(params), err)
				}
				notes <- method
			})
			var result struct{ Lines uint64 }
			if err := c.call(t.Context(), "logs/tail", map[string]any{"file": "a", "most": most}, &result); err != nil || result.Lines != most {
				t.Error(result, err)
			}
			for range most {
				<-notes
			}
		})
	}
}
