package mcpnats

import (
	"cmp"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask/storetest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// tasks returns a store of a replica with a connection of its own.
func (s *site) tasks(o TasksOptions) *Tasks {
	s.t.Helper()
	o.Logger, o.pulse = quiet, cmp.Or(o.pulse, 200*time.Millisecond)
	store, err := NewTasks(within(s.t), s.connect(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(store.Close)
	return store
}

func TestTasks(t *testing.T) {
	storetest.Run(t, func(t testing.TB) (a, b mcptask.Store) {
		s := newSite(t)
		return exact(s.tasks(TasksOptions{})), exact(s.tasks(TasksOptions{}))
	})
}

// exact returns a store that knows what time it is for NATS, which runs in this process, but for the time that the answer of NATS took: tasks expire for two such
// stores at the same time.
func exact(store *Tasks) *Tasks {
	store.b.mu.Lock()
	defer store.b.mu.Unlock()
	store.b.looked = time.Now()
	store.b.there = store.b.looked
	return store
}

// newTask is a task that runs.
func newTask(owner string) mcptask.Record {
	now := time.Now().UTC()
	return mcptask.Record{ID: rand.Text(), Owner: owner, Status: mcptask.Working, Created: now, Updated: now, TTL: time.Minute}
}

// TestRunnerGone ends a replica while its tasks run. They have failed then, and others have not.
func TestRunnerGone(t *testing.T) {
	s := newSite(t)
	first, second := s.tasks(TasksOptions{}), s.tasks(TasksOptions{})
	running, ended, other := newTask("ann"), newTask("ann"), newTask("ann")
	ended.Status, ended.Result = mcptask.Completed, []byte("{}")
	for _, c := range []struct {
		store *Tasks
		r     mcptask.Record
	}{{first, running}, {first, ended}, {second, other}} {
		if err := c.store.Create(within(t), c.r); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(3 * away * first.o.pulse / 2)
	if r, err := second.Read(within(t), running.ID); err != nil || r.Status != mcptask.Working {
		t.Fatalf("while its replica runs: %+v, %v", r, err)
	}
	changed := make(chan struct{}, 1)
	defer second.Watch(running.ID, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	first.cancel() // as if it was killed: it does not say that it goes
	for r := running; r.Status == mcptask.Working; {
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("nobody says that the replica has gone")
		}
		var err error
		if r, err = second.Read(within(t), running.ID); err != nil {
			t.Fatal(err)
		}
		if r.Status != mcptask.Working && (r.Status != mcptask.Failed || !strings.Contains(string(r.Error), "-32603") || !strings.Contains(r.Message, "gone")) {
			t.Fatalf("got %+v", r)
		}
	}
	for id, want := range map[string]mcptask.Status{ended.ID: mcptask.Completed, other.ID: mcptask.Working} {
		if r, err := second.Read(within(t), id); err != nil || r.Status != want {
			t.Errorf("got %s, %v, want %s", r.Status, err, want)
		}
	}
}

// TestOutage: after an outage in which no replica could say that it runs, none is declared gone until each has had the time to say so, and each does so as
// soon as it is connected again.
func TestOutage(t *testing.T) {
	s := newSite(t)
	slow := TasksOptions{pulse: time.Hour}
	first, second := s.tasks(slow), s.tasks(slow)
	running := newTask("ann")
	running.TTL = 1000 * slow.pulse
	first.b.mu.Lock()
	first.b.there = first.b.there.Add(-100 * slow.pulse) // as if the task had begun long ago
	first.b.mu.Unlock()
	if err := first.Create(within(t), running); err != nil {
		t.Fatal(err)
	}
	working := func(when string) {
		t.Helper()
		if r, err := second.Read(within(t), running.ID); err != nil || r.Status != mcptask.Working {
			t.Fatalf("%s: %+v, %v", when, r, err)
		}
	}
	beats := func(ago time.Duration) { // as if the second replica had run for long, and had beaten last so long ago
		second.mu.Lock()
		defer second.mu.Unlock()
		second.beats, second.steady = time.Now().Add(-ago), time.Now().Add(-1000*slow.pulse)
	}
	expire := func() {
		if err := second.b.delete(within(t), runnerKey+first.runner, anyRevision); err != nil {
			t.Fatal(err)
		}
	}
	expire()
	working("a replica that has just started")
	beats(10 * slow.pulse)
	working("before it is connected again")
	for _, store := range []*Tasks{second, first} {
		if err := store.b.nc.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the replica says that it runs", func() bool {
			store.mu.Lock()
			defer store.mu.Unlock()
			_, _, err := store.b.get(within(t), runnerKey+store.runner)
			return err == nil && time.Since(store.beats) < slow.pulse
		})
		working("when it is connected again")
	}
	expire()
	working("before the others can have said so")
	beats(0)
	if r, err := second.Read(within(t), running.ID); err != nil || r.Status != mcptask.Failed || !strings.Contains(r.Message, "may have been executed") {
		t.Errorf("a replica that says nothing: %+v, %v", r, err)
	}
}

// tasksFull fills a store in each way.
func tasksFull(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.MaxPayload = 64 << 10 })
	store := s.tasks(TasksOptions{MaxTasksPerOwner: 3, MaxBytes: 400 << 10})
	for i := range 4 {
		if err := store.Create(within(t), newTask("ann")); errors.Is(err, mcptask.ErrFull) != (i == 3) {
			t.Fatal(i, err)
		}
	}
	result := func(size int) func(*mcptask.Record) error {
		return func(r *mcptask.Record) error {
			r.Status, r.Result = mcptask.Completed, []byte(`"`+strings.Repeat("<", size)+`"`)
			return nil
		}
	}
	r := newTask("bob")
	if err := store.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Change(within(t), r.ID, result(63<<10)); err != nil {
		t.Error("a result that is nearly as large as a message:", err)
	}
	r = newTask("bob")
	if err := store.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Change(within(t), r.ID, result(65<<10)); !errors.Is(err, mcptask.ErrFull) || got.Status != mcptask.Working {
		t.Errorf("a result that is larger than a message: %s, %v", got.Status, err)
	}
	r = newTask("bob")
	if err := store.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Change(within(t), r.ID, result(63<<10)); err != nil {
		t.Error("what was refused counts:", err)
	}
	if got, err := store.Read(within(t), r.ID); err != nil || len(got.Result) != 63<<10+2 {
		t.Errorf("the result has %d bytes: %v", len(got.Result), err)
	}
	var err error
	for i := 0; err == nil && i < 20; i++ {
		r := newTask("")
		if err = store.Create(within(t), r); err == nil {
			_, err = store.Change(within(t), r.ID, result(40<<10))
		}
	}
	if !errors.Is(err, mcptask.ErrFull) {
		t.Error("a bucket without room:", err)
	}
}

// TestLargeResult: a result of 800 KB fits into a message of 1 MiB, which is what NATS takes by default.
func TestLargeResult(t *testing.T) {
	store := newSite(t).tasks(TasksOptions{})
	r := newTask("ann")
	if err := store.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	want := `"` + strings.Repeat("<", 800<<10) + `"`
	if _, err := store.Change(within(t), r.ID, func(r *mcptask.Record) error {
		r.Status, r.Result = mcptask.Completed, []byte(want)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Read(within(t), r.ID); err != nil || string(got.Result) != want {
		t.Errorf("got %d bytes, %v", len(got.Result), err)
	}
}

// TestTasksShare fills the store with the results of one principal. Another one still has room, and each task can end.
func TestTasksShare(t *testing.T) {
	store := newSite(t).tasks(TasksOptions{MaxBytes: 400 << 10})
	fill := func(owner string) (results int) {
		for range 20 {
			r := newTask(owner)
			if err := store.Create(within(t), r); err != nil {
				checkFull(t, err)
				break
			}
			_, err := store.Change(within(t), r.ID, func(r *mcptask.Record) error {
				r.Status, r.Result = mcptask.Completed, []byte(strings.Repeat("1", 20<<10))
				return nil
			})
			if err == nil {
				results++
				continue
			}
			checkFull(t, err)
			if _, err := store.Change(within(t), r.ID, func(r *mcptask.Record) error {
				r.Status, r.Message = mcptask.Cancelled, "The task was cancelled by request."
				return nil
			}); err != nil {
				t.Error("a task that is to end:", err)
			}
		}
		return results
	}
	ann, bob := fill("ann"), fill("bob")
	if ann != 8 || bob < 4 { // 8 are nearly seven eighths of a half
		t.Errorf("%d results of ann, %d of bob", ann, bob)
	}
	if n := fill(""); n > 1 {
		t.Errorf("%d results of others", n)
	}
}

// completed ends a task well.
func completed(r *mcptask.Record) error {
	r.Status, r.Result = mcptask.Completed, []byte("{}")
	return nil
}

func checkFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, mcptask.ErrFull) || strings.Contains(strings.ToLower(err.Error()), "nats") {
		t.Errorf("got %v", err)
	}
}

// TestStorageFull: while NATS stores nothing more, which is none of the limits of clients, a replica starts and serves the tasks that are there; tasks that end are stored,
// and others begin, when there is room again. No error shows a client what NATS says.
func TestStorageFull(t *testing.T) {
	s := newSite(t)
	first, running := s.tasks(TasksOptions{}), newTask("ann")
	if err := first.Create(within(t), running); err != nil {
		t.Fatal(err)
	}
	limit := func(bytes int64) {
		all := server.JetStreamAccountLimits{MaxMemory: -1, MaxStore: bytes, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1}
		if err := s.nats.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": all}); err != nil {
			t.Fatal(err)
		}
	}
	ends := func() error {
		_, err := first.Change(within(t), running.ID, completed)
		return err
	}
	limit(1)
	second := s.tasks(TasksOptions{})
	if r, err := second.Read(within(t), running.ID); err != nil || r.Status != mcptask.Working {
		t.Errorf("%+v, %v", r, err)
	}
	for what, err := range map[string]error{"a task that begins": second.Create(within(t), newTask("ann")), "a task that ends": ends()} {
		if !errors.Is(err, errStorage) || errors.Is(err, mcptask.ErrFull) || strings.Contains(err.Error(), "err_code") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	limit(-1)
	later := newTask("ann")
	if err := errors.Join(ends(), second.Create(within(t), later)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.b.get(within(t), runnerKey+second.runner); err != nil {
		t.Error("a replica with a task does not say that it runs:", err)
	}
}

// TestFullWords: a task that cannot begin because the bucket is full is refused with a limit of this package, and not with what NATS says.
func TestFullWords(t *testing.T) {
	store := newSite(t).tasks(TasksOptions{MaxBytes: 8 << 10})
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = store.Create(within(t), newTask(""))
	}
	if checkFull(t, err); err == nil || err.Error() != "there are too many tasks: this server has no room for more" {
		t.Errorf("got %v", err)
	}
}

// TestClocks: the lifetime of a task does not depend on the clock of the replica that creates it.
func TestClocks(t *testing.T) {
	s := newSite(t)
	first, second := s.tasks(TasksOptions{}), s.tasks(TasksOptions{})
	for _, skew := range []time.Duration{-time.Hour, time.Hour} {
		r := newTask("ann")
		r.Created, r.TTL = r.Created.Add(skew), 20*time.Minute
		if err := first.Create(within(t), r); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := second.Change(within(t), r.ID, func(*mcptask.Record) error { return nil }); err != nil {
				t.Errorf("%s: %v", skew, err)
			}
			k, _, err := second.read(within(t), r.ID)
			if left := second.timeLeft(&k); err != nil || left < r.TTL/2 || left > 2*r.TTL { // NATS is asked for the time, and the answer takes a while
				t.Errorf("%s: %s are left, %v", skew, left, err)
			}
		}
	}
}
