package peer

import (
	"context"
	"encoding/json"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Sourcegraph is a connection of sourcegraph/jsonrpc2 over a stream in memory.
func Sourcegraph() Dispatcher {
	in, out := make(chan []byte, 64), make(chan []byte, 64)
	server := jsonrpc2.NewConn(context.Background(), &stream{in, out}, sourcegraphHandler{})
	return Dispatcher{
		Name: "sourcegraph/jsonrpc2",
		Dispatch: func(_ context.Context, dst, msg []byte) []byte {
			in <- msg
			return append(dst, <-out...)
		},
		NoBatch: true,
		Close:   func() { close(in); server.Close() },
	}
}

// SourcegraphCaller connects two ends of sourcegraph/jsonrpc2.
func SourcegraphCaller() Caller {
	there, back := make(chan []byte, 64), make(chan []byte, 64)
	server := jsonrpc2.NewConn(context.Background(), &stream{there, back}, sourcegraphHandler{})
	client := jsonrpc2.NewConn(context.Background(), &stream{back, there}, sourcegraphHandler{})
	return checkingCaller("sourcegraph/jsonrpc2", func(ctx context.Context, p *work.CurrentParams, r *work.Report) error {
		return client.Call(ctx, work.MethodCurrent, p, r)
	}, func() { close(there); close(back); client.Close(); server.Close() })
}

// stream carries messages as they are, without framing.
type stream struct {
	in  <-chan []byte
	out chan<- []byte
}

// ReadObject implements jsonrpc2.ObjectStream.
func (s *stream) ReadObject(v any) error {
	b, ok := <-s.in
	if !ok {
		return io.EOF
	}
	return json.Unmarshal(b, v)
}

// WriteObject implements jsonrpc2.ObjectStream.
func (s *stream) WriteObject(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.out <- b
	return nil
}

// Close implements jsonrpc2.ObjectStream.
func (*stream) Close() error { return nil }

type sourcegraphHandler struct{}

// Handle implements jsonrpc2.Handler.
func (sourcegraphHandler) Handle(ctx context.Context, c *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var p raw
	if r.Params != nil {
		p.RawMessage = *r.Params
	}
	result, failed := call(r.Method, &p)
	if failed == nil {
		c.Reply(ctx, r.ID, result)
		return
	}
	answer := &jsonrpc2.Error{Code: failed.Code, Message: failed.Message}
	if d := data(failed); d != nil {
		answer.Data = &d
	}
	c.ReplyWithError(ctx, r.ID, answer)
}
