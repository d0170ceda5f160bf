package peers

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strconv"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	streams "github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

const fanned = 1000 // streams of a benchmark, over ten connections

// hub serves streams that stay open.
type hub struct {
	streams.UnimplementedServer
	open chan streams.NumsSubscribeStream
}

func (h hub) NumsSubscribe(ctx context.Context, _ streams.NumsSubscribeParams, out streams.NumsSubscribeStream) error {
	if err := out.Open(); err != nil {
		return err
	}
	h.open <- out
	<-ctx.Done()
	return ctx.Err()
}

// Hub is what go-ethereum serves.
type Hub struct{ open chan func(item any) error }

// Numbers keeps a subscription open.
func (h Hub) Numbers(ctx context.Context, _ int) (*rpc.Subscription, error) {
	notifier, _ := rpc.NotifierFromContext(ctx)
	subscription := notifier.CreateSubscription()
	h.open <- func(item any) error { return notifier.Notify(subscription.ID, item) }
	return subscription, nil
}

// subscribe opens streams over ten connections, and counts the notifications that come.
func subscribe(b *testing.B, address string, opened func()) (came chan struct{}) {
	came = make(chan struct{}, 1<<16)
	for range 10 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		for id := range fanned / 10 {
			if _, err := io.WriteString(conn, `{"jsonrpc":"2.0","id":`+strconv.Itoa(id)+`,"method":"nums_subscribe","params":["numbers",1]}`+"\n"); err != nil {
				b.Fatal(err)
			}
		}
		go func() {
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if bytes.Contains(lines.Bytes(), []byte("nums_subscription")) {
					came <- struct{}{}
				}
			}
		}()
	}
	for range fanned {
		opened()
	}
	return came
}

// BenchmarkFanOut sends one item to 1,000 streams, which all have it when an operation ends.
func BenchmarkFanOut(b *testing.B) {
	listen := func(b *testing.B) net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		return l
	}
	fan := func(b *testing.B, came chan struct{}, send func(n uint64)) {
		b.ReportAllocs()
		for n := uint64(0); b.Loop(); n++ {
			send(n)
			for range fanned {
				<-came
			}
		}
	}
	b.Run("rpcgen", func(b *testing.B) {
		l, h := listen(b), hub{open: make(chan streams.NumsSubscribeStream)}
		ctx, stop := context.WithCancel(b.Context())
		served := make(chan error, 1)
		quiet := runtime.Options{Logger: slog.New(slog.DiscardHandler)}
		go func() { served <- tcp.Serve(ctx, l, streams.NewHandler(h), tcp.WithOptions(quiet)) }()
		defer func() { stop(); <-served }()
		var all []streams.NumsSubscribeStream
		came := subscribe(b, l.Addr().String(), func() { all = append(all, <-h.open) })
		fan(b, came, func(n uint64) {
			item, err := streams.EncodeNumsSubscribe(n)
			if err != nil {
				b.Fatal(err)
			}
			for _, out := range all {
				if err := out.SendEncoded(ctx, item); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("go-ethereum", func(b *testing.B) {
		l, h, server := listen(b), Hub{open: make(chan func(any) error)}, rpc.NewServer()
		if err := server.RegisterName("nums", h); err != nil {
			b.Fatal(err)
		}
		go server.ServeListener(l)
		defer server.Stop()
		defer l.Close()
		var all []func(any) error
		came := subscribe(b, l.Addr().String(), func() { all = append(all, <-h.open) })
		fan(b, came, func(n uint64) {
			for _, send := range all {
				if err := send(n); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
