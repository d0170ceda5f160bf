package inorder

import (
	"bytes"
	"context"
	"log/slog"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestQueue(t *testing.T) {
	var q Queue[string]
	add := func(v string) (first, ok bool) {
		return q.Add(t.Context(), Item[string]{Value: v}, Limits{Most: 1, Held: new(memory.Account), Log: peerlog.For(slog.New(slog.DiscardHandler))})
	}
	if first, ok := add("one"); !first || !ok {
		t.Error("the first entry starts handling")
	}
	room := q.room.Next()
	if v, ok := q.next(); v != "one" || !ok || !isDone(room) {
		t.Error("there is room when one was taken")
	}
	settled := q.settled.Next()
	if q.noteDone(); !isDone(settled) || !q.Wait(t.Context(), 1) {
		t.Error("not handled")
	}
	if first, ok := add("two"); first || !ok {
		t.Error("a second goroutine handles entries")
	}
	if _, ok := add("three"); ok || q.Count() != 2 {
		t.Error("a full queue takes more")
	}
	if v, _ := q.next(); v != "two" {
		t.Error("out of order")
	}
	if _, ok := q.next(); ok {
		t.Error("an empty queue has an entry")
	}
	if first, _ := add("four"); !first {
		t.Error("handling does not start again")
	}
}

// TestStall: a handler that blocks makes the reader wait once. What follows is dropped and counted, until half of what may wait is handled.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, patience = 10, 10 * time.Second
		var log bytes.Buffer
		l := Limits{Most: most, Held: new(memory.Account), Patience: patience, Log: peerlog.For(slog.New(slog.NewTextHandler(&log, nil)))}
		var q Queue[int]
		step := make(chan struct{})
		var handled []int
		add := func(v int) {
			if first, _ := q.Add(t.Context(), Item[int]{Value: v, Method: "x"}, l); first {
				go q.Handle(func(v int) {
					<-step
					handled = append(handled, v)
				}, func() {})
			}
		}
		begin := time.Now()
		for v := range 1000 {
			add(v)
		}
		if waited := time.Since(begin); waited != patience || q.Count() != most+1 {
			t.Errorf("%d are added, in %v, and not %d in %v", q.Count(), waited, most+1, patience)
		}
		step <- struct{}{} // one returns: the next one has room, and others do not wait for it
		synctest.Wait()
		for v := range 100 {
			add(1000 + v)
		}
		if waited := time.Since(begin); waited != patience || q.Count() != most+2 {
			t.Errorf("%d are added, in %v", q.Count(), waited)
		}
		for range 6 {
			step <- struct{}{}
			synctest.Wait()
		}
		add(2000)
		if !strings.Contains(log.String(), "handled again") || !strings.Contains(log.String(), "dropped=1088") {
			t.Error(log.String())
		}
		for range 4 {
			add(2001)
		}
		begin = time.Now()
		if add(2002); time.Since(begin) != 0 {
			t.Error("waited although there is room")
		}
		for range 20 {
			add(2003)
		}
		if waited := time.Since(begin); waited != patience {
			t.Errorf("waited for %v after the queue has recovered", waited)
		}
		close(step)
		synctest.Wait()
		if !q.Wait(t.Context(), q.Count()) || uint64(len(handled)) != q.Count() || handled[0] != 0 {
			t.Errorf("%d of %d are handled", len(handled), q.Count())
		}
	})
}

// TestRepeats: an entry with the text of one that waits is superfluous, but not with the text of one that is handled.
func TestRepeats(t *testing.T) {
	var q Queue[int]
	add := func(text string) bool {
		_, ok := q.Add(t.Context(), Item[int]{Text: []byte(text)}, Limits{Most: 9, Held: new(memory.Account)})
		return ok
	}
	if !add("same") || add("same") || !add("other") {
		t.Error("what waits is not found")
	}
	if q.next(); !add("same") || add("other") {
		t.Error("what is handled counts as waiting")
	}
	for _, text := range []string{strings.Repeat("x", maxText+1), "", strings.Repeat("x", maxText+1), ""} {
		if !add(text) {
			t.Errorf("a text of %d bytes is compared", len(text))
		}
	}
}

// TestExit: handlers may end their goroutine, and contexts end waiting.
func TestExit(t *testing.T) {
	var q Queue[int]
	for range 3 {
		q.Add(t.Context(), Item[int]{}, Limits{Most: 9, Held: new(memory.Account)})
	}
	done := make(chan struct{})
	go q.Handle(func(int) { goruntime.Goexit() }, func() { close(done) })
	<-done
	if !q.Wait(t.Context(), 3) || q.Precede(3) {
		t.Error("not all are handled")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if q.Wait(ended, 4) {
		t.Error("waits beyond its context")
	}
}
