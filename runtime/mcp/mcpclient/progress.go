package mcpclient

import (
	"context"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// ProgressReport is the progress of a call (basic/patterns/progress).
type ProgressReport struct {
	Done, Total float64 // in a unit that the server chooses; a Total of 0 means unknown
	Message     string  // for people; may be empty
}

// WithProgress returns a context for calls whose progress is passed to f instead of
// [Options.OnProgress]. Another goroutine calls f; a call waits up to one second for it before it
// returns.
func WithProgress(ctx context.Context, f func(ProgressReport)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

type progressKey struct{}

// progressFunc gets the progress of a call.
type progressFunc = func(context.Context, ProgressReport)

// reports returns the function that gets the progress of a call, or nil.
func (o *Options) reports(ctx context.Context) progressFunc {
	if f, ok := ctx.Value(progressKey{}).(func(ProgressReport)); ok {
		return func(_ context.Context, p ProgressReport) { f(p) }
	}
	return o.OnProgress
}

// progressTable holds the functions that get the progress of the calls that are in flight.
type progressTable struct {
	mu   sync.Mutex
	byID map[int64]progressFunc // by the id of the call
}

// expect registers the function that gets the progress of a call, until forget is called. The
// function forget first waits for reports that have arrived on conn already.
func (t *progressTable) expect(ctx context.Context, conn runtime.Conn, id int64, report progressFunc) (forget func()) {
	t.mu.Lock()
	t.byID[id] = report
	t.mu.Unlock()
	return func() {
		settle(ctx, conn)
		t.mu.Lock()
		delete(t.byID, id)
		t.mu.Unlock()
	}
}

// of returns the function that gets the progress of a call, or nil.
func (t *progressTable) of(id int64) progressFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// settle waits for the notifications that arrived before the response to a call. The wait is
// limited, because the call may have been made by the callback that it waits for.
func settle(ctx context.Context, conn runtime.Conn) {
	if conn, ok := conn.(interface{ Settle(context.Context) bool }); ok { // as [runtime.Session] has
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		conn.Settle(ctx)
	}
}
