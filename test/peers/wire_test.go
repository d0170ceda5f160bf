package peers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	streams "github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// hash is the hash of a block, as Ethereum writes it.
func hash(n int) string { return fmt.Sprintf("0x%064x", n) }

// Chain is what go-ethereum serves as eth: two subscriptions, both by the method eth_subscribe.
type Chain struct{}

// NewHeads sends the headers of blocks.
func (Chain) NewHeads(ctx context.Context) (*rpc.Subscription, error) {
	return publish(ctx, func(n int) any { return map[string]string{"number": fmt.Sprintf("0x%x", n), "hash": hash(n)} })
}

// Logs sends texts that begin with the address of the filter.
func (Chain) Logs(ctx context.Context, filter struct{ Address string }) (*rpc.Subscription, error) {
	return publish(ctx, func(n int) any { return fmt.Sprint(filter.Address, n) })
}

// publish sends the items of one subscription.
func publish(ctx context.Context, item func(n int) any) (*rpc.Subscription, error) {
	notifier, ok := rpc.NotifierFromContext(ctx)
	if !ok {
		return nil, rpc.ErrNotificationsUnsupported
	}
	s := notifier.CreateSubscription()
	go func() {
		for n := range manyItems {
			notifier.Notify(s.ID, item(n))
		}
	}()
	return s, nil
}

// TestSharedNameOfEthereum: a generated client subscribes at go-ethereum's server to heads and to logs, which have one name on the wire, and gets all items, twice.
func TestSharedNameOfEthereum(t *testing.T) {
	for name, dial := range serveEthereum(t, "eth", Chain{}) {
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
				for range manyStreams / 2 {
					all.Go(func() { got.Add(readHeads(t, client)) })
					all.Go(func() { got.Add(readLogs(t, client)) })
				}
				all.Wait()
				if got.Load() != manyStreams*manyItems {
					t.Error(got.Load())
				}
			}
		})
	}
}

// readHeads reads the items of a stream of heads, and returns how many were those that were due.
func readHeads(t *testing.T, client *streams.Client) (got int64) {
	for head, err := range client.EthHeads(t.Context(), streams.EthHeadsParams{}) {
		if err != nil || head.Number != fmt.Sprintf("0x%x", got) || head.Hash != hash(int(got)) {
			t.Error(head, got, err)
			break
		}
		if got++; got == manyItems {
			break
		}
	}
	return got
}

// readLogs is readHeads of logs.
func readLogs(t *testing.T, client *streams.Client) (got int64) {
	filter := &streams.LogFilter{Address: runtime.Some("0xa#")}
	for text, err := range client.EthLogs(t.Context(), streams.EthLogsParams{Filter: filter}) {
		if err != nil || text != fmt.Sprint("0xa#", got) {
			t.Error(text, got, err)
			break
		}
		if got++; got == manyItems {
			break
		}
	}
	return got
}

// chain serves both to the clients of others.
type chain struct {
	streams.UnimplementedServer
	ended chan error
}

func (c chain) EthHeads(ctx context.Context, _ streams.EthHeadsParams, out streams.EthHeadsStream) error {
	for n := range manyItems {
		if err := out.Send(ctx, streams.Head{Number: fmt.Sprintf("0x%x", n), Hash: hash(n)}); err != nil {
			return err
		}
	}
	return c.wait(ctx)
}

func (c chain) EthLogs(ctx context.Context, p streams.EthLogsParams, out streams.EthLogsStream) error {
	for n := range manyItems {
		if err := out.Send(ctx, fmt.Sprint(p.Filter.Address.Or(""), n)); err != nil {
			return err
		}
	}
	return c.wait(ctx)
}

// wait waits until the client has ended the stream.
func (c chain) wait(ctx context.Context) error {
	<-ctx.Done()
	c.ended <- context.Cause(ctx)
	return ctx.Err()
}

// TestEthereumSubscribesToSharedName: go-ethereum's EthSubscribe gets all items of heads and logs of a generated server, twice, and ends the streams.
func TestEthereumSubscribesToSharedName(t *testing.T) {
	path := socket(t)
	l, err := tcp.ListenUnix(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := chain{ended: make(chan error, 2*manyStreams)}
	serveStreams(t, l, s)
	c, err := rpc.DialContext(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		var got atomic.Int64
		var all sync.WaitGroup
		for range manyStreams / 2 {
			all.Go(func() {
				got.Add(readItems(t, c, func(n int, head map[string]string) bool { return head["hash"] == hash(n) }, "newHeads"))
			})
			all.Go(func() {
				got.Add(readItems(t, c, func(n int, text string) bool { return text == fmt.Sprint("0xa#", n) }, "logs", map[string]string{"address": "0xa#"}))
			})
		}
		all.Wait()
		if got.Load() != manyStreams*manyItems {
			t.Error(got.Load())
		}
		for range manyStreams {
			if err := <-s.ended; err == nil || err.Error() != "the peer has ended the stream" {
				t.Error(err)
			}
		}
	}
	if _, err := c.EthSubscribe(t.Context(), make(chan string), "heads"); err == nil || !strings.Contains(fmt.Sprint(err.(rpc.DataError).ErrorData()), "one of newHeads, logs") {
		t.Error(err)
	}
}

// readItems reads the items of a subscription, and returns how many were those that were due.
func readItems[T any](t *testing.T, c *rpc.Client, due func(n int, item T) bool, args ...any) (got int64) {
	items := make(chan T)
	sub, err := c.EthSubscribe(t.Context(), items, args...)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer sub.Unsubscribe()
	for n := range manyItems {
		select {
		case item := <-items:
			if !due(n, item) {
				t.Error(n, item)
				return got
			}
			got++
		case err := <-sub.Err():
			t.Error(err)
			return got
		}
	}
	return got
}
