package mcptask_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// awayStore is a store that cannot be reached while down is set.
type awayStore struct {
	mcptask.Store
	mu   sync.Mutex
	down error
}

func (s *awayStore) set(down error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// fault returns down. A store that is silent never answers.
func (s *awayStore) fault(ctx context.Context) error {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down == errSilent {
		<-ctx.Done()
		return ctx.Err()
	}
	return down
}

func (s *awayStore) Create(ctx context.Context, r mcptask.Record) error {
	if err := s.fault(ctx); err != nil {
		return err
	}
	return s.Store.Create(ctx, r)
}

func (s *awayStore) Read(ctx context.Context, id string) (mcptask.Record, error) {
	if err := s.fault(ctx); err != nil {
		return mcptask.Record{}, err
	}
	return s.Store.Read(ctx, id)
}

// errSilent has the store not answer, until [awayStore.set] says otherwise.
var errSilent = errors.New("silent")

func (s *awayStore) Change(ctx context.Context, id string, change func(*mcptask.Record) error) (mcptask.Record, error) {
	if err := s.fault(ctx); err != nil {
		return mcptask.Record{}, err
	}
	return s.Store.Change(ctx, id, change)
}

func (s *awayStore) List(ctx context.Context, owner, session, after string, limit int) ([]mcptask.Record, error) {
	if err := s.fault(ctx); err != nil {
		return nil, err
	}
	return s.Store.List(ctx, owner, session, after, limit)
}

// TestAnswersOfStores shows what clients hear of each of the six answers of a store: not found, full, and an error, which is that of a store that refuses, is
// away (see TestStoreAway) or is lost for longer than it takes to be made again; one that never answers counts as away. One that lags has no answer of its own: package storetest has stores show at
// once what others have written.
func TestAnswersOfStores(t *testing.T) {
	const away = `503 "Overloaded: tasks are not available at present"`
	synctest.Test(t, func(t *testing.T) {
		store := &awayStore{Store: mcptask.NewMemory(mcptask.MemoryOptions{})}
		r := newRig(t, mcptask.Options{Store: store})
		defer r.end()
		for name, c := range map[string]struct {
			err        error
			start, get string
		}{
			"not found": {mcptask.ErrUnknown, away, `-32602 "There is no task \"a\", or it has expired"`},
			"full":      {fmt.Errorf("%w: no room", mcptask.ErrFull), `503 "Overloaded: there are too many tasks: no room"`, `503 "Overloaded: there are too many tasks: no room"`},
			"an error":  {context.DeadlineExceeded, away, away},
			"silence":   {errSilent, away, away},
		} {
			store.set(c.err)
			start, get := r.as("ann", "tools/call", `"name":"echo","arguments":{}`).In("error"), r.as("ann", "tasks/get", `"taskId":"a"`).In("error")
			for got, want := range map[*wire.Peek]string{&start: c.start, &get: c.get} {
				if said := fmt.Sprintf("%s %s", got.In("code").JSON(), got.In("message").JSON()); said != want {
					t.Errorf("%s: %s, want %s", name, said, want)
				}
			}
			store.set(nil)
		}
	})
}

// TestStoreAway: while the store cannot be reached, requests are refused so that the client tries again, and what a task asks waits.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &awayStore{Store: mcptask.NewMemory(mcptask.MemoryOptions{})}
		r := newRig(t, mcptask.Options{Store: store})
		defer r.end()
		waits := r.start("ann", "wait", "")
		synctest.Wait()
		store.set(errors.New("secret words of the store"))
		for name, answer := range map[string]wire.Peek{
			"tools/call": r.as("ann", "tools/call", `"name":"echo","arguments":{}`), "tasks/get": r.as("ann", "tasks/get", `"taskId":"`+waits+`"`),
			"tasks/cancel": r.as("ann", "tasks/cancel", `"taskId":"`+waits+`"`),
			"tasks/update": r.as("ann", "tasks/update", `"taskId":"`+waits+`","inputResponses":{}`),
		} {
			if got := string(answer.In("error").JSON()); got != `{"code":503,"message":"Overloaded: tasks are not available at present"}` {
				t.Errorf("%s: %s", name, answer.JSON())
			}
		}
		store.set(nil)
		asks := r.start("ann", "ask", "")
		store.set(errors.New("away")) // before the handler asks
		time.Sleep(time.Minute)
		store.set(nil)
		time.Sleep(time.Minute)
		if state := r.get("ann", asks); text(state, "status") != "input_required" {
			t.Errorf("%s", state.JSON())
		}
		silent := r.start("ann", "ask", "")
		store.set(errSilent) // before the handler asks
		time.Sleep(time.Minute)
		store.set(nil)
		time.Sleep(time.Minute)
		if state := r.get("ann", silent); text(state, "status") != "input_required" {
			t.Errorf("%s", state.JSON())
		}
		ends := r.start("ann", "steps", "")
		store.set(errSilent)
		time.Sleep(10 * time.Second) // the handler has ended by then
		store.set(nil)
		time.Sleep(time.Minute)
		if state := r.get("ann", ends); text(state, "status") != "completed" {
			t.Errorf("%s", state.JSON())
		}
		for _, id := range []string{waits, asks, silent} {
			if answer := r.as("ann", "tasks/cancel", `"taskId":"`+id+`"`); answer.In("result").Kind() != wire.Object {
				t.Errorf("%s", answer.JSON())
			}
		}
	})
}
