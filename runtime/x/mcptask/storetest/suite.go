// Package storetest is the contract of the stores of tasks as a test suite: [Run] tests one.
package storetest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

const patience = 5 * time.Minute // for events that take no time on an idle machine

// Run tests a store. The function connect returns what two processes use that share a store; for a store in memory, it is the same one twice.
// The test closes what it needs for them at its end. Every test also checks that no goroutine is left.
func Run(t *testing.T, connect func(t testing.TB) (a, b mcptask.Store)) {
	for name, test := range map[string]func(t *testing.T, a, b mcptask.Store){
		"records": records, "strange ids": strangeIDs, "changes": changes, "refused changes": refusedChanges,
		"lists": lists, "watches": watches, "expiry": expiry,
	} {
		leak.Run(t, name, func(t *testing.T) {
			a, b := connect(t)
			test(t, a, b)
		})
	}
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// createTask creates a task.
func createTask(t testing.TB, s mcptask.Store, change func(*mcptask.Record)) mcptask.Record {
	t.Helper()
	now := time.Now().UTC()
	r := mcptask.Record{ID: rand.Text(), Tool: "count", Status: mcptask.Working, Created: now, Updated: now, TTL: time.Hour}
	if change != nil {
		change(&r)
	}
	if err := s.Create(within(t), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func records(t *testing.T, a, b mcptask.Store) {
	want := createTask(t, a, func(r *mcptask.Record) {
		r.Owner, r.Session, r.Message = "ann \u00e9 * > .", "s1", "half done"
		r.Questions = []mcptask.Question{{Key: "k", Method: "elicitation/create", Params: []byte(`{"a":1}`)}}
		r.Answers = []mcptask.Answer{{Key: "j", Text: []byte(`{}`)}, {Key: "l", Error: "declined"}}
	})
	for _, s := range []mcptask.Store{a, b} {
		if got, err := s.Read(within(t), want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	if err := b.Create(within(t), want); err == nil {
		t.Error("a task was created twice")
	}
}

func strangeIDs(t *testing.T, a, _ mcptask.Store) {
	for _, id := range []string{"", "unknown", "a.b", "*", ">", "a b", "\x00", "\u00e9", string(make([]byte, 5000))} {
		if _, err := a.Read(within(t), id); !errors.Is(err, mcptask.ErrUnknown) {
			t.Errorf("reading %.10q: %v", id, err)
		}
		if _, err := a.Change(within(t), id, func(*mcptask.Record) error { return nil }); !errors.Is(err, mcptask.ErrUnknown) {
			t.Errorf("changing %.10q: %v", id, err)
		}
		if _, err := a.List(within(t), "ann", "", "x"+id, 10); !errors.Is(err, mcptask.ErrUnknown) {
			t.Errorf("listing after %.10q: %v", id, err)
		}
		a.Watch(id, func() {})()
	}
}

// changes makes many changes at the same time. None is lost.
func changes(t *testing.T, a, b mcptask.Store) {
	const writers, times = 4, 25
	id := createTask(t, a, nil).ID
	var running sync.WaitGroup
	for i := range writers {
		running.Go(func() {
			for range times {
				_, err := []mcptask.Store{a, b}[i%2].Change(within(t), id, func(r *mcptask.Record) error {
					r.Result = append(slices.Clone(r.Result), '1')
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if r, err := b.Read(within(t), id); err != nil || len(r.Result) != writers*times {
		t.Errorf("%d changes are left of %d: %v", len(r.Result), writers*times, err)
	}
}

func refusedChanges(t *testing.T, a, b mcptask.Store) {
	want, refused := createTask(t, a, nil), errors.New("refused")
	got, err := b.Change(within(t), want.ID, func(r *mcptask.Record) error {
		r.Status = mcptask.Failed
		return refused
	})
	if !errors.Is(err, refused) || got.Status != mcptask.Working {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := a.Read(within(t), want.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func lists(t *testing.T, a, b mcptask.Store) {
	want := map[string][]string{}
	start := time.Now().UTC()
	for i := range 12 {
		who := []string{"ann", "bob", "ann", "", ""}[i%5]
		r := createTask(t, []mcptask.Store{a, b}[i%2], func(r *mcptask.Record) {
			r.Owner, r.Session, r.Created = who, fmt.Sprint("s", i%5), start.Add(time.Duration(i)*time.Millisecond)
		})
		who = cmp.Or(who, r.Session)
		want[who] = append(want[who], r.ID)
	}
	for who, ids := range want {
		owner, session := who, ""
		if who == "s3" || who == "s4" {
			owner, session = "", who
		}
		for limit := 1; limit <= len(ids)+1; limit++ {
			if got := pages(t, b, owner, session, limit); !slices.Equal(got, ids) {
				t.Errorf("%s, pages of %d: got %v, want %v", who, limit, got, ids)
			}
		}
	}
	for _, nobody := range []string{"carl", "s1", "an", "ann."} {
		if all, err := a.List(within(t), nobody, "", "", 10); err != nil || len(all) > 0 {
			t.Errorf("%s: %d tasks, %v", nobody, len(all), err)
		}
	}
	if _, err := a.List(within(t), "ann", "", want["bob"][0], 10); !errors.Is(err, mcptask.ErrUnknown) {
		t.Error("after the task of another owner:", err)
	}
}

// pages reads a list page by page.
func pages(t testing.TB, s mcptask.Store, owner, session string, limit int) (ids []string) {
	t.Helper()
	for after := ""; ; after = ids[len(ids)-1] {
		page, err := s.List(within(t), owner, session, after, limit)
		if err != nil || len(page) > limit {
			t.Fatal(len(page), err)
		}
		if len(page) == 0 {
			return ids
		}
		for _, r := range page {
			ids = append(ids, r.ID)
		}
	}
}

func watches(t *testing.T, a, b mcptask.Store) {
	id := createTask(t, a, nil).ID
	changed := make(chan struct{}, 1)
	stop := b.Watch(id, func() { wake.Up(changed) })
	for i := range 3 {
		want := fmt.Sprint("step ", i)
		if r, err := b.Read(within(t), id); err != nil || r.Message == want {
			t.Fatal(r, err)
		}
		_, err := a.Change(within(t), id, func(r *mcptask.Record) error { r.Message = want; return nil })
		for r := (mcptask.Record{}); err == nil && r.Message != want; {
			select {
			case <-changed:
			case <-time.After(patience):
				t.Fatal("the watch does not report a change")
			}
			r, err = b.Read(within(t), id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	stop()
}

func expiry(t *testing.T, a, b mcptask.Store) {
	var r mcptask.Record
	changed := make(chan struct{}, 1)
	for ttl, err := 1500*time.Millisecond, mcptask.ErrUnknown; err != nil; ttl *= 2 { // on a busy machine, it may expire before it is changed
		r = createTask(t, a, func(r *mcptask.Record) { r.TTL, r.Owner = ttl, "ann" })
		defer b.Watch(r.ID, func() { wake.Up(changed) })()
		_, err = a.Change(within(t), r.ID, func(r *mcptask.Record) error { r.Message = "changed"; return nil })
		if err != nil && (!errors.Is(err, mcptask.ErrUnknown) || time.Until(r.Expires()) > 0) {
			t.Fatal(err)
		}
	}
	stays := createTask(t, a, func(r *mcptask.Record) { r.Owner = "ann" })
	for gone := false; !gone; {
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("the watch does not report that the task has expired")
		}
		_, err := b.Read(within(t), r.ID)
		if gone = errors.Is(err, mcptask.ErrUnknown); err != nil && !gone {
			t.Fatal(err)
		}
	}
	if early := time.Until(r.Expires()); early > 0 {
		t.Error("the task has expired early, by", early)
	}
	if got := pages(t, b, "ann", "", 10); !slices.Equal(got, []string{stays.ID}) {
		t.Errorf("the list has %v, want %s only", got, stays.ID)
	}
	if _, err := a.Change(within(t), r.ID, func(*mcptask.Record) error { return nil }); !errors.Is(err, mcptask.ErrUnknown) {
		t.Error("changing what has expired:", err)
	}
}
