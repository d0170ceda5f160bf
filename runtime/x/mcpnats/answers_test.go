package mcpnats

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// answers are the tests of a store, by what NATS answers: that there is no such record, that it lets nobody in, nothing, what a copy that lags has, that there
// is no room, and that the bucket is lost.
type answers struct{ notFound, refused, away, lagging, full, lost func(t *testing.T) }

func (a answers) run(t *testing.T) {
	for name, test := range map[string]func(t *testing.T){
		"not found": a.notFound, "refused": a.refused, "away": a.away, "lagging": a.lagging, "full": a.full, "lost": a.lost,
	} {
		t.Run(name, test)
	}
}

// TestAnswersToSessions is the store of sessions and the backplane, which have one connection. More of a full store is in TestNoRoom.
func TestAnswersToSessions(t *testing.T) {
	answers{
		notFound: sessionExpired, refused: sessionsDuring(refusal), away: func(t *testing.T) {
			t.Run("replicas", sessionsDuring(restart))
			t.Run("backplane", sessionsAway)
		}, lagging: sessionsLag, full: sessionsFull, lost: sessionsLost,
	}.run(t)
}

// TestAnswersToTasks is the store of tasks. More of one that is away is in TestOutage, more of a full one in TestTasksShare, TestStorageFull and TestFullWords.
func TestAnswersToTasks(t *testing.T) {
	answers{notFound: taskExpired, refused: tasksDuring(refusal), away: tasksDuring(restart), lagging: tasksLag, full: tasksFull, lost: tasksLost}.run(t)
}

// outage is a way in which NATS is not there for a while.
type outage struct{ begin, end func(s *site) }

var (
	restart = outage{(*site).stop, (*site).start}
	refusal = outage{func(s *site) { s.login("others") }, func(s *site) { s.login("") }}
)

// login has NATS let in only one user, or all if it is empty. It waits until each connection was refused more often than nats.go bears by default. NATS starts
// again: when it takes another login while it runs, it reads its counts of messages without a lock.
func (s *site) login(user string) {
	s.t.Helper()
	s.stop()
	s.o.Username, s.o.Password = user, user
	s.mu.Lock()
	clear(s.refused)
	s.mu.Unlock()
	s.start()
	if user == "" {
		return
	}
	for _, nc := range s.connections {
		await.Until(s.t, "a connection is refused", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.refused[nc] > 5 || nc.IsClosed()
		})
	}
}

// status is what a handler of a check answers.
func status(h http.Handler) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Code
}

// sessionsDuring: while NATS is not there, replicas are not ready and need no new start, stateless calls are served, and those of sessions fail clearly;
// afterwards the replicas are ready, and the session goes on.
func sessionsDuring(o outage) func(t *testing.T) {
	return func(t *testing.T) {
		f := newFleet(t, 2)
		session, _ := f.connect(t, mcp.Handshake)
		stateless, _ := f.connect(t, mcp.Stateless)
		if err := errors.Join(order(session), order(stateless)); err != nil {
			t.Fatal(err)
		}
		states := func(when string, want int) {
			t.Helper()
			for _, r := range f.all {
				await.Until(t, when, func() bool { return status(r.handler.Readiness()) == want })
				if got := status(mcphttp.Live(r.nc.IsClosed)); got != http.StatusOK {
					t.Errorf("%s: liveness is %d", when, got)
				}
			}
		}
		states("a replica is ready at first", http.StatusOK)
		o.begin(f.site)
		states("NATS is away", http.StatusServiceUnavailable)
		if err := order(stateless); err != nil {
			t.Error(err)
		}
		if err := order(session); err == nil || !strings.Contains(err.Error(), "503") && !strings.Contains(err.Error(), "not available") {
			t.Errorf("got %v", err)
		}
		o.end(f.site)
		states("a replica is ready again", http.StatusOK)
		await.Until(t, "the session goes on", func() bool {
			err := order(session)
			if errors.Is(err, mcphttp.ErrSessionOver) {
				t.Fatal(err)
			}
			return err == nil
		})
	}
}

// TestLive: a replica whose connection gives up when it is refused has to be started again, and says so.
func TestLive(t *testing.T) {
	s := newSite(t)
	nc := s.connect(func(o *nats.Options) error {
		o.IgnoreAuthErrorAbort = false
		return nil
	})
	live := mcphttp.Live(nc.IsClosed)
	if got := status(live); got != http.StatusOK {
		t.Errorf("at first: %d", got)
	}
	refusal.begin(s)
	if got := status(live); got != http.StatusServiceUnavailable {
		t.Errorf("once it has given up: %d", got)
	}
}

// tasksDuring: while NATS is not there, each use fails at once with the reason, and changes nothing; afterwards the task is there, and others begin.
func tasksDuring(o outage) func(t *testing.T) {
	return func(t *testing.T) {
		s := newSite(t)
		store := s.tasks(TasksOptions{})
		r := newTask("ann")
		if err := store.Create(within(t), r); err != nil {
			t.Fatal(err)
		}
		o.begin(s)
		await.Until(t, "NATS is away", func() bool { return store.b.ready() != nil })
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, read := store.Read(ctx, r.ID)
		_, changed := store.Change(ctx, r.ID, completed)
		_, listed := store.List(ctx, "ann", "", "", 10)
		for what, err := range map[string]error{"reading": read, "changing": changed, "listing": listed, "creating": store.Create(ctx, newTask("ann"))} {
			if !errors.Is(err, ErrDisconnected) {
				t.Errorf("%s: %v", what, err)
			}
		}
		o.end(s)
		await.Until(t, "the task comes back", func() bool {
			got, err := store.Read(within(t), r.ID)
			if err == nil && got.Status != mcptask.Working {
				t.Fatal(got.Status)
			}
			return err == nil
		})
		if _, err := store.Change(within(t), r.ID, completed); err != nil {
			t.Error(err)
		}
		if all, err := store.List(within(t), "ann", "", "", 10); err != nil || len(all) != 1 {
			t.Errorf("there are %d tasks, %v", len(all), err)
		}
	}
}

// taskExpired: a task that is not there, and one that has expired, are unknown to each use.
func taskExpired(t *testing.T) {
	store := newSite(t).tasks(TasksOptions{})
	r := newTask("ann")
	r.TTL = time.Second
	if err := store.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the task has expired", func() bool {
		_, err := store.Read(within(t), r.ID)
		if err != nil && !errors.Is(err, mcptask.ErrUnknown) {
			t.Fatal(err)
		}
		return err != nil
	})
	unknown := newTask("").ID
	_, listed := store.List(within(t), "ann", "", unknown, 10)
	for _, id := range []string{r.ID, unknown} {
		_, read := store.Read(within(t), id)
		_, changed := store.Change(within(t), id, completed)
		for what, err := range map[string]error{"reading": read, "changing": changed, "listing after it": listed} {
			if !errors.Is(err, mcptask.ErrUnknown) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// tasksLost: a bucket that is lost is made again by each use, and a task that begins then runs for each replica.
func tasksLost(t *testing.T) {
	s := newSite(t)
	js, err := jetstream.New(s.connect())
	if err != nil {
		t.Fatal(err)
	}
	slow := TasksOptions{pulse: time.Hour}
	first, second := s.tasks(slow), s.tasks(slow)
	before := newTask("ann")
	for name, use := range map[string]func() error{
		"Create": func() error { return first.Create(within(t), newTask("ann")) },
		"Read": func() error {
			_, err := first.Read(within(t), before.ID)
			return err
		},
		"Change": func() error {
			_, err := first.Change(within(t), before.ID, completed)
			return err
		},
		"List": func() error {
			_, err := first.List(within(t), "ann", "", "", 10)
			return err
		},
	} {
		if err := first.Create(within(t), before); err != nil {
			t.Fatal(name, err)
		}
		if err := js.DeleteKeyValue(within(t), "mcp_tasks"); err != nil {
			t.Fatal(name, err)
		}
		if err := use(); err != nil && !errors.Is(err, mcptask.ErrUnknown) || first.b.usable() != nil {
			t.Errorf("%s: %v, and the bucket is %v", name, err, first.b.usable())
		}
		after := newTask("bob")
		if err := first.Create(within(t), after); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		readsWhatIsWritten(t, js, "KV_mcp_tasks")
		second.mu.Lock() // as if it had run for long
		second.beats, second.steady = time.Now(), time.Now().Add(-1000*slow.pulse)
		second.mu.Unlock()
		if r, err := second.Read(within(t), after.ID); err != nil || r.Status != mcptask.Working {
			t.Errorf("%s: a task that has begun since: %+v, %v", name, r, err)
		}
		before = newTask("ann")
	}
}

// storeless is JetStream that fails to store a stream some times.
type storeless struct {
	jetstream.JetStream
	times int
}

func (s *storeless) CreateKeyValue(ctx context.Context, cfg jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	if s.times--; s.times >= 0 {
		return nil, &jetstream.APIError{Code: 500, ErrorCode: storeFailed}
	}
	return s.JetStream.CreateKeyValue(ctx, cfg)
}

// TestFilesLeft: a bucket that was lost is made again although NATS is still removing its files, unless that does not end.
func TestFilesLeft(t *testing.T) {
	s := newSite(t)
	store := s.tasks(TasksOptions{pulse: time.Hour})
	for _, c := range []struct {
		fails int
		made  bool
	}{{2, true}, {1000, false}, {0, true}} {
		js, err := jetstream.New(s.connect())
		if err != nil {
			t.Fatal(err)
		}
		if err := js.DeleteKeyValue(within(t), store.b.name); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
			t.Fatal(err)
		}
		store.b.js = &storeless{js, c.fails}
		if err := store.Create(within(t), newTask("ann")); (err == nil) != c.made {
			t.Error(c.fails, err)
		}
	}
}
