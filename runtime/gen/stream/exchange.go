package stream

import (
	"bytes"
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
)

// exchangingConn is a connection on which a call opens a stream that is the response to its request.
type exchangingConn struct {
	runtime.Conn
	ctx      context.Context // of the stream
	exchange tap.Exchange
	in       *inbound
}

// Call implements [runtime.Conn]. It returns no response.
func (e *exchangingConn) Call(_ context.Context, id int64, msg []byte) ([]byte, error) {
	msg = bytes.Clone(msg)
	go func() {
		reply, err := e.exchange(e.ctx, id, msg, func(msg []byte) { e.in.receive(e.ctx, id, msg) })
		if err != nil && e.ctx.Err() != nil {
			err = context.Cause(e.ctx)
		}
		e.in.finish(reply, err)
	}()
	return nil, nil
}

// receive adds the item that a message of the response holds. Unless the oldest items go, it waits for room, so that the sender waits, too.
func (s *inbound) receive(ctx context.Context, id int64, msg []byte) {
	p := wire.PeekAt(msg)
	params := p.In("params").JSON()
	method, _ := p.In("method").Text()
	if n, ok := wire.PeekAt(params).In(s.form.ID).Int64(); !ok || n != id || method != s.form.Method {
		return // as it is of no stream
	}
	s.mu.Lock()
	for !s.form.Oldest && !s.over && s.fullLocked(cap(msg)) {
		if s.room.Wait(ctx, &s.mu) != nil {
			break
		}
	}
	s.mu.Unlock()
	s.put(params, cap(msg))
}
