package mount

import (
	"context"
	"errors"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// peer is the client of one call, as handlers see it: notifications reach it, requests do not. Handlers ask by results, as they do in revision 2026-07-28.
type peer struct {
	client Client
	mu     sync.Mutex
}

var errNoRequests = errors.New("mount: a mounted server cannot send requests to the client: ask by mcp.Elicit, mcp.Sample, mcp.Roots or mcp.Ask")

// NextID implements [runtime.Conn].
func (*peer) NextID(int) (int64, error) { return 0, errNoRequests }

// Call implements [runtime.Conn].
func (*peer) Call(context.Context, int64, []byte) ([]byte, error) { return nil, errNoRequests }

// CallBatch implements [runtime.Conn].
func (*peer) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errNoRequests
}

// Notify implements [runtime.Conn].
func (p *peer) Notify(ctx context.Context, msg []byte) error {
	if p.client.Notify == nil {
		return nil
	}
	m := wire.PeekAt(msg)
	method, _ := m.In("method").Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	p.client.Notify(method, m.In("params").JSON())
	return nil
}

var _ runtime.Conn = (*peer)(nil)
