package streams

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/stream"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// hub is a service whose streams stay open, for what is published.
type hub struct {
	service
	tails chan rpc.LogsTailStream
	nums  chan rpc.NumsSubscribeStream
}

func (h hub) LogsTail(ctx context.Context, _ rpc.LogsTailParams, out rpc.LogsTailStream) (rpc.LogsTailResult, error) {
	h.tails <- out
	<-ctx.Done()
	return rpc.LogsTailResult{}, ctx.Err()
}

func (h hub) NumsSubscribe(ctx context.Context, _ rpc.NumsSubscribeParams, out rpc.NumsSubscribeStream) error {
	if err := out.Open(); err != nil {
		return err
	}
	h.nums <- out
	<-ctx.Done()
	return ctx.Err()
}

func (hub) Points(ctx context.Context, out rpc.PointsStream) error {
	item, err := rpc.EncodePoints(rpc.PointsItem{X: 1})
	if err != nil {
		return err
	}
	return out.SendEncoded(ctx, item) // which answers with the id first
}

// publish sends a line to streams.
func publish(ctx context.Context, line rpc.Line, to []rpc.LogsTailStream) error {
	item, err := rpc.EncodeLogsTail(line)
	if err != nil {
		return err
	}
	for _, out := range to {
		_ = out.SendEncoded(ctx, item) // the error is of a reader that has gone
	}
	return nil
}

// TestEncoded: an item that is encoded once comes to all streams, of both forms and of several sessions, as one that each has encoded.
func TestEncoded(t *testing.T) {
	h := hub{tails: make(chan rpc.LogsTailStream), nums: make(chan rpc.NumsSubscribeStream)}
	_, dial := serveOf(t, h)
	var all sync.WaitGroup
	var tails []rpc.LogsTailStream
	var nums []rpc.NumsSubscribeStream
	for range 3 {
		client := rpc.NewClient(dial())
		for range 20 {
			all.Go(func() {
				next := uint64(0)
				for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
					if err != nil || line != (rpc.Line{Seq: next, Text: "one for <all>"}) {
						t.Error(line, next, err)
						return
					}
					if next++; next == 10 {
						break
					}
				}
			})
			all.Go(func() {
				for n, err := range client.NumsSubscribe(t.Context(), rpc.NumsSubscribeParams{}) {
					if err != nil || n != 1<<63 {
						t.Error(n, err)
					}
					break
				}
			})
			tails, nums = append(tails, <-h.tails), append(nums, <-h.nums)
		}
	}
	for seq := range uint64(10) {
		if err := publish(t.Context(), rpc.Line{Seq: seq, Text: "one for <all>"}, tails); err != nil {
			t.Error(err)
		}
	}
	for point, err := range rpc.NewClient(dial()).Points(t.Context()) {
		if err != nil || point != (rpc.PointsItem{X: 1}) {
			t.Error(point, err)
		}
		break
	}
	n, err := rpc.EncodeNumsSubscribe(1 << 63)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range nums {
		if err := out.SendEncoded(t.Context(), n); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}

// TestEncodedRules: what breaks the schema is not encoded, and what is not encoded is not sent.
func TestEncodedRules(t *testing.T) {
	h := hub{tails: make(chan rpc.LogsTailStream)}
	_, dial := serveOf(t, h)
	client := rpc.NewClient(dial())
	ctx, leave := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		for line, err := range client.LogsTail(ctx, rpc.LogsTailParams{File: "a"}) {
			if err == nil {
				t.Error(line)
			}
		}
	})
	defer reader.Wait()
	defer leave()
	out := <-h.tails
	if item, err := rpc.EncodeLogsTail(rpc.Line{Text: strings.Repeat("x", 101)}); err == nil || !strings.Contains(err.Error(), "/text") {
		t.Error(item, err)
	}
	if item, err := rpc.EncodeChanges(nil); err == nil {
		t.Error(item)
	}
	var none stream.Encoded[rpc.LogsTailStream]
	if err := out.SendEncoded(t.Context(), none); err == nil || !strings.Contains(err.Error(), "not encoded") {
		t.Error(err)
	}
}
