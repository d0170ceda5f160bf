package weather

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Client calls the methods of the server.
type Client struct{ conn runtime.Conn }

// NewClient returns a client that calls over conn.
func NewClient(conn runtime.Conn) *Client { return &Client{conn} }

// Current calls weather/current.
func (c *Client) Current(ctx context.Context, p CurrentParams) (Report, error) {
	return c.report(ctx, MethodCurrent, p)
}

// Slow calls weather/slow.
func (c *Client) Slow(ctx context.Context, p CurrentParams) (Report, error) {
	return c.report(ctx, MethodSlow, p)
}

func (c *Client) report(ctx context.Context, method string, p CurrentParams) (result Report, err error) {
	q := gen.NewRequest(c.conn, method)
	defer q.Close(&err)
	p.Check(q.Violations())
	q.Send(ctx, p.AppendJSON(q.Params()))
	for q.Result(decodeError) {
		result.DecodeJSON(q.Reader())
		result.Check(q.Violations())
	}
	return result, q.Err()
}

// Watch sends weather/watch.
func (c *Client) Watch(ctx context.Context, p CurrentParams) (err error) {
	q := gen.NewNotification(c.conn, MethodWatch)
	defer q.Close(&err)
	p.Check(q.Violations())
	q.Send(ctx, p.AppendJSON(q.Params()))
	return q.Err()
}

// Ping calls weather/ping.
func (c *Client) Ping(ctx context.Context) (err error) {
	q := gen.NewRequest(c.conn, MethodPing)
	defer q.Close(&err)
	q.SendEmpty(ctx)
	q.NoResult(decodeError)
	return q.Err()
}

// Batch begins a batch.
func (c *Client) Batch() *Batch { return &Batch{gen.NewBatch(c.conn)} }

// Batch is requests and notifications that are sent as one message.
type Batch struct{ batch *gen.Batch }

// Current adds weather/current.
func (b *Batch) Current(p CurrentParams) *gen.Pending[Report] {
	return gen.AddRequest(b.batch, MethodCurrent, p.params, decodeReport, decodeError)
}

// Watch adds weather/watch.
func (b *Batch) Watch(p CurrentParams) { gen.AddNotification(b.batch, MethodWatch, p.params) }

// Send sends the batch and waits for the results.
func (b *Batch) Send(ctx context.Context) error { return b.batch.Send(ctx) }

func (v CurrentParams) params(b []byte, vs *rule.Violations) []byte {
	v.Check(vs)
	return v.AppendJSON(b)
}

func decodeReport(r *wire.Reader, v *Report, vs *rule.Violations) {
	v.DecodeJSON(r)
	v.Check(vs)
}
