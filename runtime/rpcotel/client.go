package rpcotel

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.opentelemetry.io/otel/trace"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Client returns a connection that calls through conn. It creates a span for every request,
// notification and batch, and measures rpc.client.call.duration, rpc.client.request.size and
// rpc.client.response.size. A batch counts as one call with the method batch, a stream as one that ends with its loop; its items are counted by
// rpc.client.responses_per_rpc.
func Client(conn runtime.Conn, o Options) runtime.Conn {
	return &client{conn, newInstruments(o, trace.SpanKindClient, "client")}
}

type client struct {
	runtime.Conn
	in *instruments
}

// Unwrap returns the connection itself, which may have more methods: progress and streams need those of a session.
func (c *client) Unwrap() runtime.Conn { return c.Conn }

// ObserveStream measures a stream as a call that ends with it. Its sizes are not known.
func (c *client) ObserveStream(ctx context.Context, method string) (end func(items int, err error)) {
	m := c.in.begin(ctx, method, "")
	return func(items int, err error) {
		if refused, ok := errors.AsType[*runtime.Error](err); ok {
			m.failWith(refused.Code)
		} else if declared, ok := errors.AsType[runtime.Coder](err); ok {
			m.failWith(declared.RPCError().Code)
		} else if err != nil {
			m.broke(err)
		}
		m.items = &items
		m.end(0, 0)
	}
}

// Call implements [runtime.Conn].
func (c *client) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	m := c.in.begin(ctx, method(msg), strconv.FormatInt(id, 10))
	size := len(msg)
	response, err := c.Conn.Call(m.context, id, msg)
	if err != nil {
		m.broke(err)
	} else if code, failed := failure(response); failed {
		m.failWith(code)
	}
	m.end(size, len(response))
	return response, err
}

// Notify implements [runtime.Conn].
func (c *client) Notify(ctx context.Context, msg []byte) error {
	m := c.in.begin(ctx, method(msg), "")
	size := len(msg)
	err := c.Conn.Notify(m.context, msg)
	if err != nil {
		m.broke(err)
	}
	m.end(size, 0)
	return err
}

// CallBatch implements [runtime.Conn].
func (c *client) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	m := c.in.begin(ctx, "batch", "")
	size, received := len(msg), 0
	responses, err := c.Conn.CallBatch(m.context, first, n, msg)
	if err != nil {
		m.broke(err)
	}
	for _, r := range responses {
		received += len(r)
	}
	m.end(size, received)
	return responses, err
}

// broke records that the call has no response.
func (c *call) broke(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		c.fail("cancelled", "")
	case errors.Is(err, context.DeadlineExceeded):
		c.fail("timeout", "")
	case errors.Is(err, runtime.ErrClosed):
		c.fail("closed", err.Error())
	default:
		c.fail(fmt.Sprintf("%T", err), err.Error())
	}
}

// method returns the method of a message.
func method(msg []byte) string {
	name, _ := wire.PeekAt(msg).In("method").Text()
	return name
}

// failure returns the code of a response with an error.
func failure(response []byte) (code int64, failed bool) {
	text, _ := wire.PeekAt(response).In("error").In("code").Scalar()
	code, err := strconv.ParseInt(text, 10, 64)
	return code, err == nil
}
