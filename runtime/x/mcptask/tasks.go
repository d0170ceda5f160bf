package mcptask

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory/clients"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Options are the settings of [Tasks]. The zero value selects the defaults.
type Options struct {
	// Store keeps the tasks. Nil means a new [Memory] with its default limits.
	Store Store

	// TTL is how long a task lives after its creation, whether it runs or has ended: the client
	// has to fetch the result by then, and a task that still runs is cancelled. Zero means one
	// hour.
	TTL time.Duration

	// MaxTTL limits the lifetime that a client of revision 2025-11-25 may ask for. Zero means TTL.
	MaxTTL time.Duration

	// PollInterval is how often clients should ask for the state of a task. Zero means one second.
	PollInterval time.Duration

	// MaxBytes limits what the requests of running tasks take in this process, in bytes. Those of one
	// principal, or of one session without a principal, may take half of it. Zero means 256 MiB.
	MaxBytes int

	// PageSize limits the tasks in one response to tasks/list. Zero means 100.
	PageSize int
}

// Tasks run calls of tools as tasks, see [mcp.Options.Tasks]. They belong to one server.
type Tasks struct {
	opts  Options
	store Store
	held  clients.Accounts[string] // what the requests of tasks take that run, by holder

	mu     sync.Mutex
	closed bool
	runs   map[*run]struct{}
	asking map[string]bool // questions that a client of a session is answering, by task and key
	freed  chan struct{}   // closed, and made anew, when one of these is not any more
	over   chan struct{}   // closed when the server shuts down
	ended  sync.WaitGroup  // runs
}

// New returns tasks for one server.
func New(o Options) *Tasks {
	o.Store = cmp.Or[Store](o.Store, NewMemory(MemoryOptions{}))
	defaults.Set(&o.TTL, time.Hour)
	defaults.Set(&o.MaxTTL, o.TTL)
	defaults.Set(&o.PollInterval, time.Second)
	defaults.Set(&o.MaxBytes, 256<<20)
	defaults.Set(&o.PageSize, 100)
	t := &Tasks{opts: o, store: o.Store, runs: make(map[*run]struct{}), asking: make(map[string]bool), freed: make(chan struct{}), over: make(chan struct{})}
	t.held.Init(int64(o.MaxBytes))
	return t
}

// Default returns o with tasks in memory, if it has none. Generated code calls it for a schema with
// tools that run as tasks.
func Default(o mcp.Options) mcp.Options {
	if o.Tasks == nil {
		o.Tasks = New(Options{})
	}
	return o
}

var errShutDown = fmt.Errorf("%w: the server is shutting down", ErrFull)

// Start implements [mcp.Tasks].
func (t *Tasks) Start(c *tasking.Call) ([]byte, error) {
	now := time.Now().UTC()
	r := Record{
		ID: rand.Text(), Owner: c.Owner, Session: c.Session, Server: c.Server, Tool: c.Tool,
		Status: Working, Created: now, Updated: now, TTL: t.opts.TTL,
	}
	if c.TTL > 0 {
		r.TTL = min(c.TTL, t.opts.MaxTTL)
	}
	one := &run{tasks: t, call: c, id: r.ID, record: r, changed: make(chan struct{}, 1), news: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(c.Context)
	one.cancel = cancel
	if err := t.enter(one); err != nil {
		cancel(nil)
		return nil, err
	}
	within, end := limit(ctx)
	defer end()
	if err := t.store.Create(within, r); err != nil {
		t.leave(one)
		cancel(nil)
		return nil, away(c.Context, err)
	}
	go one.run(ctx)
	if c.Handshake() {
		return append(t.appendTask([]byte(`{"task":`), &r, true), '}'), nil
	}
	return t.appendTask(nil, &r, false), nil
}

// enter registers a task that is going to run. It fails after Shutdown has begun, and if there is no
// room for the request.
func (t *Tasks) enter(r *run) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errShutDown
	}
	who := r.holder()
	r.held = t.held.Enter(who)
	if r.held.Take(r.call.Size) != nil {
		t.held.Leave(who)
		return fmt.Errorf("%w: the requests of those that run take too much memory", ErrFull)
	}
	t.runs[r] = struct{}{}
	t.ended.Add(1)
	return nil
}

func (t *Tasks) leave(r *run) {
	r.held.Give(r.call.Size)
	t.held.Leave(r.holder())
	t.mu.Lock()
	delete(t.runs, r)
	t.mu.Unlock()
	t.ended.Done()
}

// holder returns who the task counts for. It is empty if nothing distinguishes the client.
func (r *run) holder() string {
	if who := holder(r.call.Owner, r.call.Session); who != anonymous {
		return who
	}
	return ""
}

// Shutdown implements [mcp.Tasks].
func (t *Tasks) Shutdown(ctx context.Context) error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.over)
	}
	for r := range t.runs {
		r.cancel(errShutDown)
	}
	t.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		t.ended.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ownTask returns a task that the caller may refer to.
func (t *Tasks) ownTask(ctx context.Context, c tasking.Caller, id string) (Record, error) {
	within, end := limit(ctx)
	defer end()
	r, err := t.store.Read(within, id)
	if err == nil && r.Owner != c.Owner {
		err = ErrUnknown
	}
	switch {
	case errors.Is(err, ErrUnknown):
		err = unknownTask(id, nil)
	case err == nil && r.other(c.Server):
		err = unknownTask(id, fmt.Errorf("%w: %s", tasking.ErrOther, r.Server))
	}
	return r, away(ctx, err)
}

// away returns an error of the store that says nothing of the task as [tasking.ErrAway]: the client is to try again.
func away(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrFull) || errors.Is(err, errOver) || errors.As(err, new(*protocolError)) {
		return err
	}
	return fmt.Errorf("%w: %w", tasking.ErrAway, err)
}

// Watch implements [mcp.Tasks]. A task that cannot be read at present may be the caller's, whom Serve shows nothing else.
func (t *Tasks) Watch(ctx context.Context, c tasking.Caller, id string, changed func()) (stop func(), ok bool) {
	if _, err := t.ownTask(ctx, c, id); err != nil && !errors.Is(err, tasking.ErrAway) {
		return nil, false
	}
	return t.store.Watch(id, changed), true
}
