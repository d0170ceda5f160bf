package mcptask

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// MemoryOptions are the limits of a [Memory]. They count tasks until these expire, whether they run
// or have ended. The zero value selects the defaults.
type MemoryOptions struct {
	// MaxTasks limits the tasks. Zero means 10,000.
	MaxTasks int

	// MaxTasksPerOwner limits the tasks of one principal, or of one session without a principal.
	// Stateless clients without a principal share only MaxTasks. Zero means 1,000.
	MaxTasksPerOwner int

	// MaxBytes limits what is kept of all tasks, most of which are their results. Those of one
	// principal, or of one session without a principal, may take half of it. An eighth of either is
	// left to changes that add little, so that each task can end. Zero means 256 MiB.
	MaxBytes int
}

// Memory is a [Store] in memory. The zero value is not usable; [NewMemory] makes one.
type Memory struct {
	opts MemoryOptions

	mu     sync.Mutex
	tasks  map[string]*entry
	owners map[string][]*entry // in the order of creation; see holder
	bytes  int
	each   map[string]int // bytes by holder
}

// entry is one task.
type entry struct {
	record  Record
	size    int
	expiry  *time.Timer
	watches []*func()
}

// NewMemory returns an empty store.
func NewMemory(o MemoryOptions) *Memory {
	defaults.Set(&o.MaxTasks, 10_000)
	defaults.Set(&o.MaxTasksPerOwner, 1000)
	defaults.Set(&o.MaxBytes, 256<<20)
	return &Memory{opts: o, tasks: make(map[string]*entry), owners: make(map[string][]*entry), each: make(map[string]int)}
}

// holder returns who a task counts for.
func holder(owner, session string) string {
	if owner != "" {
		return "owner " + owner
	}
	return "session " + session
}

// anonymous is the holder of tasks that nothing distinguishes.
var anonymous = holder("", "")

// Create implements [Store].
func (m *Memory) Create(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	who, e := holder(r.Owner, r.Session), &entry{record: r, size: r.Size()}
	switch {
	case m.tasks[r.ID] != nil:
		return fmt.Errorf("mcptask: the task %s exists", r.ID)
	case len(m.tasks) >= m.opts.MaxTasks:
		return fmt.Errorf("%w: this server keeps at most %d", ErrFull, m.opts.MaxTasks)
	case who != anonymous && len(m.owners[who]) >= m.opts.MaxTasksPerOwner:
		return fmt.Errorf("%w: one client has at most %d", ErrFull, m.opts.MaxTasksPerOwner)
	}
	if err := m.charge(who, e.size, 0); err != nil {
		return err
	}
	m.tasks[r.ID] = e
	m.owners[who] = append(m.owners[who], e)
	e.expiry = time.AfterFunc(time.Until(r.Expires()), func() { m.expire(r.ID) })
	return nil
}

// charge adds n bytes to what is kept for a holder, see [Fits].
func (m *Memory) charge(who string, n, small int) error {
	fits := func(has, most int) bool { return Fits(int64(n), int64(has), int64(most), int64(small)) }
	switch {
	case !fits(m.bytes, m.opts.MaxBytes):
		return fmt.Errorf("%w: this server keeps at most %d bytes of them", ErrFull, m.opts.MaxBytes)
	case who != anonymous && !fits(m.each[who], m.opts.MaxBytes/2):
		return fmt.Errorf("%w: this server keeps at most %d bytes of those of one client", ErrFull, m.opts.MaxBytes/2)
	}
	m.bytes += n
	if m.each[who] += n; m.each[who] == 0 {
		delete(m.each, who)
	}
	return nil
}

// Read implements [Store].
func (m *Memory) Read(_ context.Context, id string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.tasks[id]
	if e == nil {
		return Record{}, ErrUnknown
	}
	return e.record, nil
}

// Change implements [Store].
func (m *Memory) Change(_ context.Context, id string, change func(*Record) error) (Record, error) {
	r, watches, err := m.change(id, change)
	for _, changed := range watches {
		(*changed)()
	}
	return r, err
}

func (m *Memory) change(id string, change func(*Record) error) (Record, []*func(), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.tasks[id]
	if e == nil {
		return Record{}, nil, ErrUnknown
	}
	r := e.record
	if err := change(&r); err != nil {
		return e.record, nil, err
	}
	size := r.Size()
	if err := m.charge(holder(r.Owner, r.Session), size-e.size, Small); err != nil {
		return e.record, nil, err
	}
	e.record, e.size = r, size
	return r, e.watches, nil
}

// List implements [Store].
func (m *Memory) List(_ context.Context, owner, session, after string, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := m.owners[holder(owner, session)]
	if after != "" {
		at := slices.IndexFunc(own, func(e *entry) bool { return e.record.ID == after })
		if at < 0 {
			return nil, ErrUnknown
		}
		own = own[at+1:]
	}
	var all []Record
	for _, e := range own[:min(len(own), limit)] {
		all = append(all, e.record)
	}
	return all, nil
}

// Watch implements [Store].
func (m *Memory) Watch(id string, changed func()) (stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.tasks[id]
	if e == nil {
		return func() {}
	}
	watch := &changed
	e.watches = append(slices.Clip(e.watches), watch)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e.watches = slices.DeleteFunc(slices.Clone(e.watches), func(w *func()) bool { return w == watch })
	}
}

// expire deletes a task.
func (m *Memory) expire(id string) {
	for _, changed := range m.remove(id) {
		(*changed)()
	}
}

func (m *Memory) remove(id string) []*func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.tasks[id]
	if e == nil {
		return nil
	}
	who := holder(e.record.Owner, e.record.Session)
	delete(m.tasks, id)
	m.charge(who, -e.size, 0)
	if own := slices.DeleteFunc(m.owners[who], func(o *entry) bool { return o == e }); len(own) > 0 {
		m.owners[who] = own
	} else {
		delete(m.owners, who)
	}
	return e.watches
}
