// Package load holds the command load: it measures how many calls a server answers, how long it takes for them, and whether the answers are right meanwhile.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Call is one call that is made again and again.
type Call struct {
	Name string // of the tool or method
	Args []byte // JSON

	target   *checker
	tried    bool          // before the load
	want     atomic.Uint64 // hash of the answer, if equal calls have equal answers; else 0
	changing bool          // the call is refused after the load
}

// apart returns why the answers to a call are not compared with each other; "" if they are.
func (c *Call) apart() string {
	switch {
	case c.target.varies != "":
		return c.target.varies
	case c.changing:
		return "repeated after the load, they are refused"
	case c.want.Load() != 0:
		return ""
	case !c.target.readOnly:
		return "they may do more than read"
	case !c.tried:
		return fmt.Sprintf("the %s before the load were over before they were made twice", proving)
	}
	return "made twice before the load, they were not answered twice"
}

// Peer makes calls of one session. It is used by one worker at a time, unless workers share it.
type Peer interface {
	// Do makes a call, and returns its answer, JSON. If the server answers with an error, or says that the tool has failed, the error is a [*Refused].
	Do(ctx context.Context, c *Call) ([]byte, error)
	Close() error
}

// ServerError is the error of a server.
type ServerError struct {
	Code   string // of the error; "failed" for a tool that has failed
	Reason string
}

func (e *ServerError) Error() string { return e.Code + ": " + e.Reason }

// plan says how calls are made.
type plan struct {
	workers  int
	duration time.Duration
	warm     time.Duration // before the calls that count
	grace    time.Duration // how long calls may take after that
	rate     float64       // calls a second; 0 for as many as there are
	calls    []*Call
	peers    []Peer // of workers, in turn
	answers  *answers
	progress func(done uint64, left time.Duration) // is called each second; may be nil
}

// late is how long a call may be sent after it was due although a worker was free, before the generator counts as late.
const late = 10 * time.Millisecond

// tally is what one worker has counted.
type tally struct {
	response Histogram // since a call was due
	service  Histogram // since it was sent
	byName   map[string]*toolTally
	errors   map[string]uint64    // by code
	wrong    map[string]uint64    // by class
	differs  map[different]uint64 // answers that are not those before, until they are confirmed
	slots    []slot
	bytes    uint64
	tardy    uint64 // calls that were sent late although the worker was free
	first    map[string]string
}

// different is a call that was not answered as before, and how.
type different struct {
	call  *Call
	class string
}

// toolTally is what was counted of a tool.
type toolTally struct {
	service Histogram
	failed  uint64
}

// slot is what was counted in a part of the time.
type slot struct {
	calls, failed uint64
	response      Histogram
}

// slots is how many parts the time has in charts.
const slots = 100

func newTally() *tally {
	return &tally{byName: map[string]*toolTally{}, errors: map[string]uint64{}, wrong: map[string]uint64{}, differs: map[different]uint64{},
		first: map[string]string{}, slots: make([]slot, slots)}
}

// run makes calls until the time is over or ctx ends, and returns what was counted and how long it took. Calls that are not answered within the grace
// after that have failed.
func (p *plan) run(ctx context.Context) (*tally, time.Duration) {
	began := time.Now()
	from := began.Add(p.warm)
	end := from.Add(p.duration)
	calls, stopCalls := context.WithDeadline(ctx, end.Add(p.grace))
	defer stopCalls()
	var next atomic.Int64
	var done atomic.Uint64
	tallies := make([]*tally, p.workers)
	var workers sync.WaitGroup
	for i := range tallies {
		tallies[i] = newTally()
		workers.Go(func() {
			w := worker{plan: p, tally: tallies[i], peer: p.peers[i%len(p.peers)], began: began, from: from, end: end, next: &next, done: &done}
			w.work(ctx, calls)
		})
	}
	stop := make(chan struct{})
	var watching sync.WaitGroup
	if p.progress != nil {
		watching.Go(func() { p.watch(stop, &done, end) })
	}
	workers.Wait()
	close(stop)
	watching.Wait()
	took := time.Since(from)
	all := tallies[0]
	for _, t := range tallies[1:] {
		all.merge(t)
	}
	return all, took
}

// watch reports progress each second.
func (p *plan) watch(stop <-chan struct{}, done *atomic.Uint64, end time.Time) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.progress(done.Load(), time.Until(end))
		case <-stop:
			return
		}
	}
}

// worker makes one call after the other.
type worker struct {
	*plan
	*tally
	peer             Peer
	began, from, end time.Time
	next             *atomic.Int64
	done             *atomic.Uint64
}

// work makes calls that end with the context calls, until the time is over or ctx ends.
func (w *worker) work(ctx, calls context.Context) {
	broken := 0
	for ctx.Err() == nil {
		k := w.next.Add(1) - 1
		due, free := w.due(ctx, k)
		if !due.Before(w.end) || ctx.Err() != nil {
			return
		}
		c := w.calls[int(k)%len(w.calls)]
		sent := time.Now()
		answer, err := w.peer.Do(calls, c)
		now := time.Now()
		if ctx.Err() != nil {
			return
		}
		w.done.Add(1)
		if _, refused := errors.AsType[*ServerError](err); err == nil || refused {
			broken = 0
		} else if broken++; broken > 3 { // the connection is broken: not a million errors
			sleep(calls, min(time.Duration(broken)*10*time.Millisecond, time.Second))
		}
		verdict := w.answers.judge(c, answer, err, k)
		if due.Before(w.from) {
			w.keepWrong(verdict, c, answer) // while warming up, too
			continue
		}
		w.count(c, due, sent, now, answer, err)
		w.keepWrong(verdict, c, answer)
		if free && sent.Sub(due) > late {
			w.tardy++
		}
	}
}

// due waits until call k is due, and returns when that was, and whether the worker was free before. The first one is due as the run begins.
func (w *worker) due(ctx context.Context, k int64) (at time.Time, free bool) {
	if w.rate <= 0 && k > 0 {
		return time.Now(), false
	}
	at = w.began.Add(time.Duration(float64(k) / cmp.Or(w.rate, 1) * float64(time.Second)))
	wait := time.Until(at)
	if wait <= 0 || !at.Before(w.end) {
		return at, false
	}
	sleep(ctx, wait)
	return at, true
}

// sleep waits until ctx ends, at most for d.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// count counts a call.
func (w *worker) count(c *Call, due, sent, now time.Time, answer []byte, err error) {
	w.response.Add(now.Sub(due))
	w.service.Add(now.Sub(sent))
	tool := w.tool(c.Name)
	tool.service.Add(now.Sub(sent))
	w.bytes += uint64(len(answer))
	part := &w.slots[min(slots-1, max(0, int(float64(due.Sub(w.from))/float64(w.duration)*slots)))]
	part.calls++
	part.response.Add(now.Sub(due))
	if err != nil {
		part.failed++
		tool.failed++
		code := "no answer"
		if refused, ok := errors.AsType[*ServerError](err); ok {
			code = refused.Code
		}
		w.errors[code]++
		w.example(code, err.Error())
	}
}

// keepWrong counts a wrong answer.
func (w *worker) keepWrong(class string, c *Call, answer []byte) {
	switch class {
	case "":
		return
	case wrongShape:
		w.wrong[class]++
	default:
		w.differs[different{c, class}]++
	}
	w.example(class, c.Name+" "+short(c.Args)+" is answered "+short(answer))
}

// example keeps the first case of an error or wrong answer.
func (t *tally) example(of, text string) {
	t.first[of] = cmp.Or(t.first[of], text)
}

// merge adds what another worker has counted.
func (t *tally) merge(o *tally) {
	t.response.Merge(&o.response)
	t.service.Merge(&o.service)
	for name, one := range o.byName {
		to := t.tool(name)
		to.service.Merge(&one.service)
		to.failed += one.failed
	}
	addTo(t.errors, o.errors)
	addTo(t.wrong, o.wrong)
	addTo(t.differs, o.differs)
	for what, text := range o.first {
		t.example(what, text)
	}
	for i := range o.slots {
		t.slots[i].calls += o.slots[i].calls
		t.slots[i].failed += o.slots[i].failed
		t.slots[i].response.Merge(&o.slots[i].response)
	}
	t.bytes += o.bytes
	t.tardy += o.tardy
}

// addTo adds counts to others.
func addTo[K comparable](all, more map[K]uint64) {
	for key, n := range more {
		all[key] += n
	}
}

// tool returns what was counted of a tool.
func (t *tally) tool(name string) *toolTally {
	if t.byName[name] == nil {
		t.byName[name] = new(toolTally)
	}
	return t.byName[name]
}
