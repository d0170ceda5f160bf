package mcpnats

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// TasksOptions are the settings of a [Tasks]. The zero value selects the defaults.
type TasksOptions struct {
	// Name begins all names in NATS, as [Options].Name does. Empty means mcp.
	Name string

	// Copies is how many servers of a NATS cluster keep each task: 1, 3 or 5. Zero means 1.
	Copies int

	// InMemory keeps the tasks in the memory of NATS: they are lost when it restarts.
	InMemory bool

	// MaxTasksPerOwner limits the tasks of one principal, or of one session without a principal, until they expire. Stateless clients without
	// a principal share only MaxBytes. Two requests at the same time may exceed it by one. Zero means 1,000.
	MaxTasksPerOwner int

	// MaxBytes limits what NATS keeps of all tasks, most of which are their results. Those of one principal, or of one session without a principal, may
	// take half of it, as in an [mcptask.Memory]. Zero means 1 GiB. A task with its result has to fit into a message of NATS: 1 MiB unless its server says
	// otherwise. Of a bucket that is there, this and Copies and InMemory stay as they are; what differs is logged.
	MaxBytes int64

	// Keys seal the tasks, see [Options].
	Keys [][]byte

	// Logger receives errors. Nil means [slog.Default].
	Logger *slog.Logger

	pulse time.Duration // how often a replica says that it runs; tests change it
}

// Tasks keeps the tasks of all replicas of a server in a bucket of NATS, named KV_mcp_tasks if Options.Name is mcp. It implements [mcptask.Store].
//
// A task runs in the replica that has created it. If that replica ends, or is away from NATS for 15 seconds while others are not, its tasks have failed:
// the next request for one of them, at any replica, gets the error -32603, and the handler is cancelled if it runs after all.
type Tasks struct {
	o       TasksOptions
	b       *bucket
	runner  string // the name of this replica
	ctx     context.Context
	cancel  context.CancelFunc
	ended   sync.WaitGroup
	watches shared.Map[*func(), func()] // what follows tasks

	mu     sync.Mutex
	beats  time.Time // when this replica has said last that it runs
	steady time.Time // since when it has done so without a break
}

var _ mcptask.Store = (*Tasks)(nil)

// The keys of the bucket begin with one of these.
const (
	taskKey   = "task."   // and the id
	holderKey = "holder." // and a digest of the principal or the session, the time of the creation in ns, and the id; its value is the task's size
	runnerKey = "runner." // and the name; expires when the replica is gone
)

// away is how many pulses may be missing before a replica counts as gone.
const away = 5

// NewTasks returns a store over nc, and makes its bucket unless it is there. It fails if NATS cannot be reached or has no JetStream. Options for
// the connection are those of [New]. Close ends what runs for it; the tasks stay.
func NewTasks(ctx context.Context, nc *nats.Conn, o TasksOptions) (*Tasks, error) {
	defaults.Set(&o.MaxTasksPerOwner, 1000)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	defaults.Set(&o.pulse, 3*time.Second)
	b, err := openBucket(ctx, nc, bucketOptions{
		name: o.Name, suffix: "_tasks", description: "tasks of MCP", copies: o.Copies, inMemory: o.InMemory, maxBytes: o.MaxBytes, small: mcptask.Small,
		keys: o.Keys, log: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	t := &Tasks{o: o, b: b, runner: rand.Text()}
	switch err := t.beat(ctx); {
	case errors.Is(err, errFull) || errors.Is(err, errStorage): // the tasks that are there are served, and others once there is room
		o.Logger.Warn("no tasks can begin, because there is no room in NATS", "error", err)
	case err != nil:
		return nil, fmt.Errorf("mcpnats: the tasks in NATS at %q: %w", nc.ConnectedUrlRedacted(), err)
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	back := nc.StatusChanged(nats.CONNECTED) // a connection that is made again from here on is noticed
	t.ended.Go(func() { t.pulse(back) })
	return t, nil
}

// Close ends the goroutine of the store. Tasks of this replica that still run have failed then: shut the server down before, see
// [mcptask.Tasks.Shutdown].
func (t *Tasks) Close() {
	t.cancel()
	t.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), t.o.pulse)
	defer cancel()
	if err := t.b.delete(ctx, runnerKey+t.runner, anyRevision); err != nil && !errors.Is(err, ErrDisconnected) {
		t.o.Logger.Warn("the record of this replica in NATS stays until it expires", "error", err)
	}
}

// pulse says from time to time that this replica runs, and has everybody look who follows a task: a change may have been missed, a task may
// have expired, and its replica may be gone.
func (t *Tasks) pulse(back chan nats.Status) {
	tick := time.NewTicker(t.o.pulse)
	defer tick.Stop()
	defer t.b.nc.RemoveStatusListener(back)
	for {
		select {
		case <-tick.C:
		case <-back:
		case <-t.ctx.Done():
			return
		}
		if err := t.beat(t.ctx); err != nil && t.ctx.Err() == nil && !errors.Is(err, ErrDisconnected) {
			t.o.Logger.Warn("this replica cannot say in NATS that it runs", "error", err)
		}
		for _, changed := range t.watches.Values() {
			changed()
		}
	}
}

// beat says that this replica runs.
func (t *Tasks) beat(ctx context.Context) error {
	if _, err := t.b.put(ctx, runnerKey+t.runner, nil, anyRevision, away*t.o.pulse); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.broken(now) {
		t.steady = now
	}
	t.beats = now
	return nil
}

// broken reports whether beats were missing, so that those of others may be, too: NATS was away, or this replica was. The lock must be held.
func (t *Tasks) broken(now time.Time) bool { return now.Sub(t.beats) > 2*t.o.pulse }

// judges reports whether this replica has said that it runs for so long that each one that runs could have done so. Otherwise it declares none gone.
func (t *Tasks) judges() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	return !t.broken(now) && now.Sub(t.steady) >= away*t.o.pulse
}

// taskRecord is a task in NATS.
type taskRecord struct {
	mcptask.Record
	Runner string    `json:"runner"`
	Made   time.Time `json:"made"`  // when it was created, by the clock of NATS
	Noted  int64     `json:"noted"` // its size, by the value of its holder key
}

// timeLeft returns how long the task is kept. Clocks of replicas may differ.
func (t *Tasks) timeLeft(r *taskRecord) time.Duration { return r.Made.Add(r.TTL).Sub(t.b.now()) }

// holder returns the holder key.
func (r *taskRecord) holder() string {
	return fmt.Sprintf("%s%020d.%s", holderOf(r.Owner, r.Session), r.Created.UnixNano(), r.ID)
}

// Create implements [mcptask.Store].
func (t *Tasks) Create(ctx context.Context, r mcptask.Record) error {
	t.mu.Lock()
	silent := t.beats.IsZero()
	t.mu.Unlock()
	if silent { // there was no room when it started
		if err := t.beat(ctx); err != nil {
			return full(err)
		}
	}
	k := taskRecord{Record: r, Runner: t.runner, Made: t.b.now(), Noted: int64(r.Size())}
	tasks, err := t.share(ctx, &k, k.Noted)
	if err != nil {
		return err
	}
	if tasks >= t.o.MaxTasksPerOwner {
		return fmt.Errorf("%w: one client has at most %d", mcptask.ErrFull, t.o.MaxTasksPerOwner)
	}
	text, err := encode(&k)
	if err != nil {
		return err
	}
	if _, err := t.b.put(ctx, taskKey+r.ID, text, 0, r.TTL); err != nil {
		return full(err)
	}
	if err := t.noteSize(ctx, &k, 0); err != nil {
		if fault := t.b.delete(ctx, taskKey+r.ID, anyRevision); fault != nil {
			t.o.Logger.Warn("a task that was not begun stays in NATS until it expires", "error", fault)
		}
		return err
	}
	return nil
}

// share returns how many tasks the holder of a task has. It fails if there is no room for more bytes of them.
func (t *Tasks) share(ctx context.Context, r *taskRecord, more int64) (tasks int, err error) {
	if r.Owner == "" && r.Session == "" {
		return 0, nil
	}
	var bytes int64
	err = t.b.each(ctx, holderOf(r.Owner, r.Session)+">", func(_ string, size []byte) {
		n, _ := strconv.ParseInt(string(size), 10, 64)
		tasks, bytes = tasks+1, bytes+n
	})
	if half := t.b.most() / 2; err == nil && !mcptask.Fits(more, bytes, half, 0) {
		err = fmt.Errorf("%w: this server keeps at most %d bytes of those of one client", mcptask.ErrFull, half)
	}
	return tasks, err
}

// noteSize stores the size of a task for its holder, in a key of that revision.
func (t *Tasks) noteSize(ctx context.Context, r *taskRecord, revision uint64) error {
	_, err := t.b.put(ctx, r.holder(), strconv.AppendInt(nil, r.Noted, 10), revision, t.timeLeft(r))
	return full(err)
}

// resize reports whether the size of a task has changed so much that it has to be noted. It fails if there is no room for it.
func (t *Tasks) resize(ctx context.Context, r *taskRecord) (changed bool, err error) {
	size := int64(r.Size())
	more := size - r.Noted
	if max(more, -more) <= mcptask.Small {
		return false, nil
	}
	r.Noted = size
	_, err = t.share(ctx, r, more)
	return true, err
}

// encode returns a task as JSON, in which results stay as they are.
func encode(r *taskRecord) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return b.Bytes(), err
}

// holderOf is what the keys of the tasks of a principal begin with, or those of a session if there is no principal.
func holderOf(owner, session string) string {
	who := "owner " + owner
	if owner == "" {
		who = "session " + session
	}
	digest := sha256.Sum256([]byte(who))
	return holderKey + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(digest[:20]) + "."
}

// full returns err as ErrFull if there is no room. What NATS says of it is not for clients.
func full(err error) error {
	switch {
	case errors.Is(err, errFull):
		return fmt.Errorf("%w: this server has no room for more", mcptask.ErrFull)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: this one is larger than what the server can keep", mcptask.ErrFull)
	}
	return err
}

// Read implements [mcptask.Store].
func (t *Tasks) Read(ctx context.Context, id string) (mcptask.Record, error) {
	r, _, err := t.read(ctx, id)
	if err != nil || r.Status.Final() {
		return r.Record, err
	}
	gone, err := t.ownerGone(ctx, &r)
	if err != nil || !gone {
		return r.Record, err
	}
	return t.Change(ctx, id, func(r *mcptask.Record) error {
		if !r.Status.Final() {
			const why = "the replica of the server that ran the task has gone; the task may have been executed"
			r.Status, r.Message, r.Questions, r.Answers = mcptask.Failed, why, nil, nil
			r.Error = []byte(`{"code":-32603,"message":"Internal error: ` + why + `"}`)
			r.Updated = time.Now().UTC()
		}
		return nil
	})
}

// ownerGone reports whether the replica of a task does not run any more. One that has just begun it does, also if the bucket with what it has said was lost.
func (t *Tasks) ownerGone(ctx context.Context, r *taskRecord) (bool, error) {
	if r.Runner == t.runner && t.ctx.Err() == nil || !t.judges() || t.b.now().Sub(r.Made) < away*t.o.pulse {
		return false, nil
	}
	if !nameOf.MatchString(r.Runner) {
		return true, nil
	}
	_, _, err := t.b.get(ctx, runnerKey+r.Runner)
	if errors.Is(err, errNoKey) {
		return true, nil
	}
	return false, err
}

// read reads a task and its revision.
func (t *Tasks) read(ctx context.Context, id string) (r taskRecord, revision uint64, err error) {
	if !nameOf.MatchString(id) {
		return r, 0, mcptask.ErrUnknown
	}
	text, revision, err := t.b.get(ctx, taskKey+id)
	switch {
	case errors.Is(err, errNoKey):
		return r, 0, mcptask.ErrUnknown
	case err != nil:
		return r, 0, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, 0, fmt.Errorf("mcpnats: the task %s in NATS is not readable: %w", id, err)
	}
	if t.timeLeft(&r) <= 0 {
		return taskRecord{}, 0, mcptask.ErrUnknown
	}
	return r, revision, nil
}

// Change implements [mcptask.Store].
func (t *Tasks) Change(ctx context.Context, id string, change func(*mcptask.Record) error) (mcptask.Record, error) {
	for {
		before, revision, err := t.read(ctx, id)
		if err != nil {
			return mcptask.Record{}, err
		}
		after := before
		if err := change(&after.Record); err != nil {
			return before.Record, err
		}
		resized, err := t.resize(ctx, &after)
		if err != nil {
			return before.Record, err
		}
		text, err := encode(&after)
		if err != nil {
			return before.Record, err
		}
		_, err = t.b.put(ctx, taskKey+id, text, revision, t.timeLeft(&after))
		switch {
		case errors.Is(err, errRevision) && ctx.Err() == nil:
			continue
		case err != nil:
			return before.Record, full(err)
		}
		if resized {
			if err := t.noteSize(ctx, &after, anyRevision); err != nil {
				t.o.Logger.Warn("the size of a task could not be noted in NATS: it does not count for its owner", "error", err)
			}
		}
		t.b.publish(t.b.nc, t.subject(id), "", nil, nil) // if it cannot be sent, those who follow the task look at the next pulse
		return after.Record, nil
	}
}

// subject is where changes of a task are announced.
func (t *Tasks) subject(id string) string { return t.b.sealer.name + ".task." + id }

// List implements [mcptask.Store].
func (t *Tasks) List(ctx context.Context, owner, session, after string, limit int) ([]mcptask.Record, error) {
	keys, err := t.b.keys(ctx, holderOf(owner, session)+">")
	if err != nil {
		return nil, err
	}
	slices.Sort(keys) // by the time of creation
	if after != "" {
		at := slices.IndexFunc(keys, func(key string) bool { return strings.HasSuffix(key, "."+after) })
		if at < 0 {
			return nil, mcptask.ErrUnknown
		}
		keys = keys[at+1:]
	}
	var all []mcptask.Record
	for _, key := range keys {
		if len(all) == limit {
			break
		}
		r, err := t.Read(ctx, key[strings.LastIndexByte(key, '.')+1:])
		switch {
		case errors.Is(err, mcptask.ErrUnknown): // it has expired since
		case err == nil && (&taskRecord{Record: r}).holder() != key: // another caller has stored the key
		case err != nil:
			return nil, err
		default:
			all = append(all, r)
		}
	}
	return all, nil
}

// Watch implements [mcptask.Store].
func (t *Tasks) Watch(id string, changed func()) (stop func()) {
	if !nameOf.MatchString(id) {
		return func() {}
	}
	own := &changed
	t.watches.Set(own, changed)
	changes, err := t.b.nc.Subscribe(t.subject(id), func(m *nats.Msg) {
		if _, ok := t.b.accept(m); ok {
			changed()
		}
	})
	if err != nil {
		t.o.Logger.Warn("a task is followed by looking at it from time to time", "error", err)
	}
	return func() {
		t.watches.Delete(own)
		if changes != nil {
			changes.Unsubscribe()
		}
	}
}
