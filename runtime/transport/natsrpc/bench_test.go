package natsrpc

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

// echo answers at once.
func echo() runtime.Handler {
	return current(func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: p.City, Degrees: 14.5}, nil
	})
}

// BenchmarkCall compares a typical call with a request of its size to a bare subscription, and with a call over TCP, by one caller and by 16.
func BenchmarkCall(b *testing.B) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","days":1}}`
	ways := []struct {
		name string
		call func(b *testing.B) func() error
	}{
		{"natsrpc", func(b *testing.B) func() error {
			s := newSite(b)
			s.serve(echo(), Options{})
			c := s.client(ClientOptions{})
			return func() error {
				_, err := c.Current(context.Background(), paris)
				return err
			}
		}},
		{"bare", func(b *testing.B) func() error {
			s := newSite(b)
			worker, nc := s.connect(), s.connect()
			worker.QueueSubscribe(subject, "q", func(m *nats.Msg) { go m.Respond([]byte(request)) })
			worker.Flush()
			return func() error {
				_, err := nc.Request(subject, []byte(request), patience)
				return err
			}
		}},
		{"tcp", func(b *testing.B) func() error {
			l, err := net.Listen("tcp", "localhost:0")
			if err != nil {
				b.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- tcp.Serve(ctx, l, echo()) }()
			conn, err := tcp.Dial(context.Background(), l.Addr().String(), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				conn.Close()
				stop()
				<-done
			})
			c := weather.NewClient(conn)
			return func() error {
				_, err := c.Current(context.Background(), paris)
				return err
			}
		}},
	}
	for _, way := range ways {
		for _, callers := range []int{1, 16} {
			b.Run(fmt.Sprint(way.name, "/", callers), func(b *testing.B) {
				call := way.call(b)
				b.ReportAllocs()
				parallel(b, callers, call)
			})
		}
	}
}

// parallel makes b.N calls from a number of goroutines.
func parallel(b *testing.B, callers int, call func() error) {
	b.ResetTimer()
	todo, done := make(chan struct{}, callers), make(chan error, callers)
	for range callers {
		go func() {
			for range todo {
				if err := call(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range b.N {
		todo <- struct{}{}
	}
	close(todo)
	for range callers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkWorkers compares one server with three, each of which handles 8 calls of 5 ms at a time, for 192 callers: NATS chooses servers at random, so few callers would leave some of them idle.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 3} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			s := newSite(b)
			for range workers {
				slots := make(chan struct{}, 8)
				s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
					slots <- struct{}{}
					time.Sleep(5 * time.Millisecond)
					<-slots
					return weather.Report{}, nil
				}), Options{})
			}
			c := s.client(ClientOptions{})
			parallel(b, 192, func() error {
				_, err := c.Current(context.Background(), paris)
				return err
			})
		})
	}
}
