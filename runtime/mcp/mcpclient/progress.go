package mcpclient

import (
	"context"
	"maps"
	"slices"
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
	report := progressFunc(func(_ context.Context, p ProgressReport) { f(p) })
	return context.WithValue(ctx, progressKey{}, &report)
}

type progressKey struct{}

// progressFunc gets the progress of a call. Pointers to it are compared.
type progressFunc func(context.Context, ProgressReport)

// reports returns the function that gets the progress of a call, or nil.
func (o *Options) reports(ctx context.Context) *progressFunc {
	if f, ok := ctx.Value(progressKey{}).(*progressFunc); ok {
		return f
	}
	if o.OnProgress == nil {
		return nil
	}
	return (*progressFunc)(&o.OnProgress)
}

// progressTable holds the functions that get the progress of the calls that are in flight, and of the tasks that are waited for.
type progressTable struct {
	mu   sync.Mutex
	byID map[int64]map[*progressFunc]int // by the id of the call, with the number of those that wait with a function
}

// expect registers a function that gets the progress of a call until forget is called, which first waits for reports that have arrived on conn.
func (t *progressTable) expect(ctx context.Context, conn runtime.Conn, id int64, report *progressFunc) (forget func()) {
	t.mu.Lock()
	if t.byID[id] == nil {
		t.byID[id] = make(map[*progressFunc]int)
	}
	t.byID[id][report]++
	t.mu.Unlock()
	return func() {
		settle(ctx, conn)
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.byID[id][report]--; t.byID[id][report] == 0 {
			delete(t.byID[id], report)
		}
		if len(t.byID[id]) == 0 {
			delete(t.byID, id)
		}
	}
}

// of returns the functions that get the progress of a call, each once.
func (t *progressTable) of(id int64) []*progressFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.byID[id]))
}

// settle waits for the notifications before the response to a call: a second in steps, as the callback that it waits for may have made the call.
func settle(ctx context.Context, conn runtime.Conn) {
	if conn, ok := conn.(interface{ Settle(context.Context) bool }); ok { // as [runtime.Session] has
		for done, steps := false, 20; !done && steps > 0; steps-- {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			done = conn.Settle(ctx)
			cancel()
		}
	}
}
