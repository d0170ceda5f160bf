package runtime

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func newLifecycle() *lifecycle { return &lifecycle{input: true, done: make(chan struct{})} }

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func TestLifecycle(t *testing.T) {
	l := newLifecycle()
	if ok, _ := l.enter(); !ok {
		t.Fatal("a new session accepts no call")
	}
	if l.stop() {
		t.Error("closed while a call runs")
	}
	if ok, due := l.enter(); ok || due {
		t.Error("a session that is stopping accepts a call, or is closed by it")
	}
	if !l.leave() {
		t.Error("not closed after the last call")
	}
	if _, first := l.close(nil, time.Hour, func() {}); !first {
		t.Error("closed twice")
	}
	if _, first := l.close(io.EOF, time.Hour, func() {}); first {
		t.Error("closed twice")
	}
	if l.leave() || isDone(l.done) {
		t.Error("over while the reader reads")
	}
	if l.inputEnded() || l.settle() || !isDone(l.done) {
		t.Error("not over when the reader has ended")
	}
	if closed, err := l.endState(); err != nil || !closed {
		t.Error(err, closed)
	}
}

func TestLifecycleOfAnEndedInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, closing := newLifecycle(), 0
		l.hold()
		if !l.inputEnded() {
			t.Error("closed while something runs")
		}
		l.drain(time.Second, func() { closing++ })
		if ok, _ := l.enter(); !ok {
			t.Error("what was read before the end is not accepted")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if closing != 1 {
			t.Errorf("patience ended %d times", closing)
		}
		stuck := errors.New("stuck")
		l.close(nil, time.Hour, func() {})
		if !l.force(stuck) || l.force(io.EOF) || !isDone(l.done) {
			t.Error("force is to end a session once")
		}
		if _, err := l.endState(); err != stuck {
			t.Error(err)
		}
	})
}

// TestLifecycleEndsOnce has calls come and go while the session is stopped: exactly then, or by the last one that leaves, it is closed.
func TestLifecycleEndsOnce(t *testing.T) {
	for range 200 {
		l := newLifecycle()
		var wait sync.WaitGroup
		var mu sync.Mutex
		closings := 0
		closeIf := func(due bool) {
			if due {
				if _, first := l.close(nil, time.Hour, func() {}); first {
					mu.Lock()
					closings++
					mu.Unlock()
					l.leave()
				}
			}
		}
		for range 4 {
			wait.Go(func() {
				for {
					ok, due := l.enter()
					closeIf(due)
					if !ok {
						return
					}
					closeIf(l.leave())
				}
			})
		}
		closeIf(l.stop())
		wait.Wait()
		l.inputEnded()
		l.settle()
		if closings != 1 || !isDone(l.done) {
			t.Fatalf("closed %d times, over: %t", closings, isDone(l.done))
		}
	}
}

func TestReaderTurn(t *testing.T) {
	turn := readerTurn{}
	times := func(n int, do func() bool) (done int) {
		for range n {
			if do() {
				done++
			}
		}
		return done
	}
	if turn.pass() {
		t.Error("passed the turn although no goroutine is parked")
	}
	if times(3, turn.claim) != 2 {
		t.Error("two goroutines park at a time")
	}
	if !turn.pass() || !turn.wait() || !turn.claim() {
		t.Error("a goroutine that was woken makes room for another one")
	}
	if times(3, turn.pass) != 2 || times(2, turn.wait) != 2 {
		t.Error("each goroutine is passed the turn once")
	}
	times(2, turn.claim)
	if turn.dismiss(); times(2, turn.wait) > 0 || turn.pass() {
		t.Error("a dismissed goroutine reads")
	}
}

// TestReaderTurnIsOne passes the turn among goroutines that park whenever they can: at any time one of them has it, and in the end none waits.
func TestReaderTurnIsOne(t *testing.T) {
	const passes = 20_000
	var turn readerTurn
	var readers, left atomic.Int32
	left.Store(passes)
	var wait sync.WaitGroup
	var lead func()
	lead = func() {
		for {
			if readers.Add(1) != 1 {
				t.Error("two goroutines have the turn")
			}
			over := left.Add(-1) <= 0
			readers.Add(-1)
			switch {
			case over:
				turn.dismiss()
				return
			case !turn.pass():
				wait.Go(lead)
			}
			if !turn.claim() {
				return
			}
			if left.Load() <= 0 {
				turn.dismiss()
			}
			if !turn.wait() {
				return
			}
		}
	}
	wait.Go(lead)
	wait.Wait()
	if n := left.Load(); n != 0 || turn.pass() {
		t.Errorf("%d passes are left, or a goroutine is parked", n)
	}
}

func TestInbound(t *testing.T) {
	var in inbound
	c := new(callContext)
	if !in.add("1", c) || in.add("1", c) || in.get("1") != c {
		t.Error("an id is in flight once")
	}
	if in.remove("1"); in.get("1") != nil || !in.add("1", c) {
		t.Error("an id is free after its call")
	}
	in.remove("1")
	if in.rest(); in.calls != nil {
		t.Error("an empty table is kept")
	}
}

func TestOutgoing(t *testing.T) {
	var o outgoing
	expect := func(first int64, replies [][]byte) *waiter {
		w, _, err := o.expect(first, replies, nil)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	one, batch := expect(1, nil), expect(2, make([][]byte, 2))
	for _, taken := range []struct {
		first int64
		n     int
	}{{1, 0}, {3, 0}, {0, 2}, {3, 4}} {
		if w, _, err := o.expect(taken.first, make([][]byte, taken.n), nil); err == nil {
			t.Error(taken, w, "a second request waits for the same response")
		}
	}
	if o.deliver(9, nil) || !o.deliver(1, []byte("a")) || !isDone(tokens(one)) || string(one.one) != "a" {
		t.Error("a response goes to its request")
	}
	if !o.deliver(3, []byte("c")) || isDone(tokens(batch)) || !o.deliverToBatch([]byte("e")) || !isDone(tokens(batch)) {
		t.Error("an error without id goes to the one batch")
	}
	if o.deliver(2, nil) || o.deliverToBatch(nil) || o.busy() {
		t.Error("a batch is answered once")
	}
	o.release(one)
	last := expect(7, nil)
	if last != one || o.abandon(batch) {
		t.Error("a waiter is used again, and one that has ended is not abandoned")
	}
	if all := o.end(); len(all) != 1 || all[0] != last || expect(8, nil) != nil {
		t.Error("at the end nothing waits, and nothing more is expected")
	}
}

func tokens(w *waiter) <-chan struct{} {
	done := make(chan struct{})
	if len(w.done) > 0 {
		close(done)
	}
	return done
}
