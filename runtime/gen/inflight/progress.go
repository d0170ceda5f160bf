package inflight

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
)

// Reporting returns the context of a call whose params hold token, which is how its caller asks for progress.
func Reporting(ctx context.Context, token runtime.Opt[runtime.ID]) context.Context {
	if id, ok := token.Get(); ok {
		return context.WithValue(ctx, tokenKey{}, id)
	}
	return ctx
}

type tokenKey struct{}

// Reports returns the connection to the caller of the request that ctx belongs to, and the token of its progress. The connection is nil if
// the caller does not ask for progress, or cannot be notified.
func Reports(ctx context.Context) (runtime.Conn, runtime.ID) {
	token, ok := ctx.Value(tokenKey{}).(runtime.ID)
	if !ok {
		return nil, token
	}
	return runtime.PeerFrom(ctx), token
}

// WithReports returns a context for calls whose progress is passed to f.
func WithReports(ctx context.Context, f func(c *runtime.Call)) context.Context {
	return context.WithValue(ctx, reportsKey{}, f)
}

type reportsKey struct{}

// watcher is a connection with notifications. [runtime.Session] implements it.
type watcher interface {
	Watch(method, member string, token runtime.ID, f func(c *runtime.Call)) (stop func())
	Settle(ctx context.Context) bool
}

// reportTime is how long a call waits for the reports that arrived before its response.
const reportTime = time.Second

// Expect prepares a call whose context is that of [WithReports]: it sets the token, and until the returned function is called, reports with
// it are passed to the function of the context. The token that the caller has chosen is kept.
func Expect(ctx context.Context, conn runtime.Conn, method, member string, token *runtime.Opt[runtime.ID]) (done func()) {
	f, ok := ctx.Value(reportsKey{}).(func(c *runtime.Call))
	if !ok {
		return noop
	}
	w, ok := unwrap.As[watcher](conn)
	if !ok {
		return noop
	}
	id, ok := token.Get()
	if !ok {
		n, err := conn.NextID(1)
		if err != nil { // the call fails for the same reason
			return noop
		}
		id = wire.IntID(n)
		*token = runtime.Some(id)
	}
	stop := w.Watch(method, member, id, f)
	return func() {
		settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTime)
		w.Settle(settling)
		cancel()
		stop()
	}
}

func noop() {}
