package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// batch handles a batch, which is an array of messages (JSON-RPC 2.0 section 6), and appends the array of its answers to dst.
//
// In a session s it also accepts responses, lists the ids of the calls in flight, and answers timeouts when they pass. Without a session, s is nil, and
// timeouts are answered when they pass if the transport takes late answers.
func (d *Dispatcher) batch(ctx context.Context, dst, msg []byte, s *Session) []byte {
	r := batchRuns.Get().(*batchRun)
	r.d, r.ctx, r.s, r.budget = d, ctx, s, d.opts.batchBudget()
	n, v := r.split(msg)
	switch {
	case v.Code != 0:
		recordIn(ctx, d.mapError(refusal(v)))
		dst = d.appendRefusal(dst, v)
	case n > d.opts.MaxBatch:
		o := d.mapError(d.condition(Condition{Kind: when.BatchTooLarge, MaxSize: d.opts.MaxBatch, Size: n, Unit: "elements"}))
		recordIn(ctx, o)
		dst = d.appendError(dst, nil, o)
	case s != nil:
		return r.runLate(dst, nil)
	default:
		if give := lateOf(ctx); give != nil {
			return r.runLate(dst, give)
		}
		return r.run(dst)
	}
	r.release()
	return dst
}

// batchRun is the state of one batch while it is handled. Several goroutines may work on it: next
// and left are atomic, and every element is written by the one goroutine that took it.
type batchRun struct {
	d        *Dispatcher
	ctx      context.Context
	s        *Session // the session of the batch; nil outside of sessions
	budget   *wire.Budget
	elements []element
	late     []lateElement // one for each element if timeouts are answered when they pass; else empty
	next     atomic.Int64  // index of the next element to be handled
	left     atomic.Int64  // number of elements without an answer
	users    atomic.Int64  // number of goroutines that may still refer to the run
	done     chan struct{} // closed when left reaches 0
	ended    chan struct{} // of runLate: closed when users reaches 0; nil for run
	overdue  atomic.Bool   // an element was answered while its handler still runs
}

// batchRuns keeps batchRun values because the slice of their elements is large.
var batchRuns = sync.Pool{New: func() any { return new(batchRun) }}

// leave notes that n users have ended. After the last one it releases r, or wakes runLate.
func (r *batchRun) leave(n int) {
	switch {
	case r.users.Add(-int64(n)) > 0:
	case r.ended != nil:
		close(r.ended)
	default:
		r.release()
	}
}

// release returns r to the pool. Nothing else may refer to r.
func (r *batchRun) release() {
	const most = 1 << 14 // elements; larger slices are not kept
	clear(r.elements)
	if r.elements = r.elements[:0]; cap(r.elements) > most {
		r.elements = nil
	}
	r.d, r.ctx, r.s, r.done, r.ended, r.budget, r.late = nil, nil, nil, nil, nil, nil, nil
	r.next.Store(0)
	r.overdue.Store(false)
	batchRuns.Put(r)
}

// slow is how long one goroutine handles a batch alone. After that, other goroutines join. Most
// batches end sooner, so they never pay for starting goroutines.
const slow = 200 * time.Microsecond

// help starts additional goroutines for the batch once it has taken longer than slow. Stopping the timer prevents that. Stop reports whether no goroutine was
// started, which is what run relies on. The timer is nil if one goroutine is enough.
func (r *batchRun) help() *time.Timer {
	r.done = make(chan struct{})
	r.left.Store(int64(len(r.elements)))
	helpers := r.helpers()
	r.users.Store(int64(helpers) + 1)
	if helpers <= 0 {
		return nil
	}
	return time.AfterFunc(slow, func() {
		for range helpers {
			go r.assist()
		}
	})
}

// helpers returns the number of goroutines that help starts.
func (r *batchRun) helpers() int { return min(r.d.opts.BatchCalls, len(r.elements)) - 1 }

// run handles all elements and returns when each of them is answered. If no other goroutine took part, the answers already stand in dst one after the other.
func (r *batchRun) run(dst []byte) []byte {
	help, start := r.help(), len(dst)
	answers := r.work(slices.Grow(dst, 256)) // bytes: enough for a short answer
	if help != nil && !help.Stop() {
		<-r.done
		answers = r.join(answers, start)
		r.leave(1)
		return answers
	}
	if len(answers)-start < r.d.opts.MaxMessage {
		answers = brackets(answers, start)
	} else {
		answers = r.join(answers, start)
	}
	r.release()
	return answers
}

// runLate is the variant of run for sessions, where give is nil, and for transports that take late answers. A call that exceeds its timeout is answered while
// its handler still runs, so this goroutine only waits and never runs a handler itself. Such a handler may refer to r after the batch of a session was
// answered, so r is not returned to the pool then. Without a session, runLate returns when all handlers have returned; if some are late, it gives the answer
// before.
func (r *batchRun) runLate(dst []byte, give lateFunc) []byte {
	r.makeLate()
	r.ended = make(chan struct{})
	help := r.help()
	go r.assist()
	<-r.done
	if help != nil && help.Stop() {
		r.leave(r.helpers())
	}
	if give == nil || !r.overdue.Load() {
		dst = r.join(dst, len(dst))
	} else if answer := r.join(nil, 0); len(answer) > 0 {
		give(answer, contextkey.Outcome{})
	}
	if give != nil {
		<-r.ended
		r.release()
	}
	return dst
}

// makeLate lets every element be answered while its handler still runs.
func (r *batchRun) makeLate() {
	r.late = make([]lateElement, len(r.elements))
	for i := range r.late {
		r.late[i].run, r.late[i].element = r, &r.elements[i]
	}
}

// split finds the elements of the array msg and returns their number. It keeps at most one more than [Options.MaxBatch], which bounds the memory that a
// hostile batch can take. The verdict says what is wrong with the batch as a whole. No element is handled before the whole batch is known to be valid JSON
// (JSON-RPC 2.0 section 6).
func (r *batchRun) split(msg []byte) (n int, v envelope.Verdict) {
	if !r.d.allowsBatch() {
		return 0, envelope.Unsound(msg, "batches are not part of the protocol")
	}
	most := r.d.opts.MaxBatch + 1
	r.elements = slices.Grow(r.elements, min(most, len(msg)/64+1)) // 64 bytes is a short request
	all := envelope.Split(msg, r.d.opts.MaxDepth)
	for all.Next() {
		if n++; n <= most {
			if n > cap(r.elements) {
				r.elements = slices.Grow(r.elements, 1)
			}
			r.elements = r.elements[:n]
			e := &r.elements[n-1] // append would copy the element, which is large
			e.msg, e.opened = all.Element(), all.OpeningUsual()
		}
	}
	return n, all.Verdict()
}

// join replaces what follows index start of b, which are the answers of one goroutine, by all answers in the order of the elements. An answer that would make
// the message larger than [Options.MaxMessage] is replaced by -32603, so that the other answers still arrive.
func (r *batchRun) join(b []byte, start int) []byte {
	size, first := 0, len(b)
	for i := range r.elements {
		size += len(r.elements[i].answer) + 1
	}
	all := slices.Grow(b, size+1)
	for i := range r.elements {
		e := &r.elements[i]
		if len(e.answer) == 0 {
			continue
		}
		all = append(all, ',')
		if size := len(all) - first + len(e.answer); size >= r.d.opts.MaxMessage {
			if id := e.id(r.d); len(id) > 0 {
				r.d.peerLog.Warn("the results of a batch exceed the maximum message size", "max", r.d.opts.MaxMessage)
				o := oversize(largeBatch, size+len("]"), r.d.opts.MaxMessage)
				o.AppendData = nil // there may be many of them
				all = r.d.appendError(all, id, o)
				continue
			}
		}
		all = append(all, e.answer...)
	}
	if first > start {
		all = all[:start+copy(all[start:], all[first:])]
	}
	return brackets(all, start)
}

// brackets turns the answers from start on, each preceded by a comma, into an array: it replaces the first comma. A batch of notifications has no answers and
// gets no array (JSON-RPC 2.0 section 6).
func brackets(b []byte, start int) []byte {
	if len(b) == start {
		return b
	}
	b[start] = '['
	return append(b, ']')
}

// duplicateID returns the verdict for a request whose id is already in flight. Serving it would make two responses that the peer cannot tell apart.
func duplicateID(id []byte) envelope.Verdict {
	return envelope.Verdict{Code: envelope.InvalidRequest, Detail: "a request with this id is already in flight", ID: id}
}
