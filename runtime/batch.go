package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// batch handles an array of messages (JSON-RPC 2.0 section 6), and appends the array of answers to dst. For a session s it also
// takes responses, keeps the ids of the calls in flight, and answers timeouts when they pass.
func (d *Dispatcher) batch(ctx context.Context, dst, msg []byte, s *Session) []byte {
	r := batchRuns.Get().(*batchRun)
	r.d, r.ctx, r.s, r.budget = d, ctx, s, d.opts.batchBudget()
	n, v := r.split(msg)
	switch {
	case v.object.Code != 0:
		dst = d.appendRefusal(dst, v)
	case n > d.opts.MaxBatch:
		o := d.condition(Condition{Kind: when.BatchTooLarge, MaxSize: d.opts.MaxBatch, Size: n, Unit: "elements"})
		dst = d.appendError(dst, nil, o)
	case s != nil:
		return r.runLate(dst)
	default:
		var alone bool
		if dst, alone = r.run(dst); !alone {
			return dst
		}
	}
	r.release()
	return dst
}

// batchRun is a batch while it is handled.
type batchRun struct {
	d        *Dispatcher
	ctx      context.Context
	s        *Session // nil: outside of sessions
	budget   *wire.Budget
	elements []element
	next     atomic.Int64  // the element to be taken next
	left     atomic.Int64  // elements not answered yet
	done     chan struct{} // closed when none is left
}

// batchRuns are kept for the room for their elements.
var batchRuns = sync.Pool{New: func() any { return new(batchRun) }}

// release gives r back, which nobody else knows any more.
func (r *batchRun) release() {
	const most = 1 << 14 // elements; larger batches are rare enough
	clear(r.elements)
	if r.elements = r.elements[:0]; cap(r.elements) > most {
		r.elements = nil
	}
	r.d, r.ctx, r.s, r.done, r.budget = nil, nil, nil, nil, nil
	r.next.Store(0)
	batchRuns.Put(r)
}

// slow is how long one goroutine handles a batch before others help it. Most batches are done by then, and cost no more than
// their calls.
const slow = 200 * time.Microsecond

// help has others help with the batch when it is slow, until the timer is stopped.
func (r *batchRun) help() *time.Timer {
	r.done = make(chan struct{})
	r.left.Store(int64(len(r.elements)))
	return time.AfterFunc(slow, func() {
		for range min(r.d.opts.BatchCalls, len(r.elements)) - 1 {
			go r.work(nil)
		}
	})
}

// run handles all elements and returns when they are answered. As long as this goroutine is alone with them, which it tells,
// the answers are where they belong at once.
func (r *batchRun) run(dst []byte) (answer []byte, alone bool) {
	help, start := r.help(), len(dst)
	answer = r.work(slices.Grow(dst, 256)) // bytes; room for a short answer
	if alone = help.Stop(); alone && len(answer)-start < r.d.opts.MaxMessage {
		return brackets(answer, start), true
	}
	<-r.done
	return r.join(dst), alone
}

// runLate is run for the batches of sessions. Calls that run past their timeout are answered without their goroutine, so none
// of them may be this one; and who knows when it is done with r.
func (r *batchRun) runLate(dst []byte) []byte {
	help := r.help()
	go r.work(nil)
	<-r.done
	help.Stop()
	return r.join(dst)
}

// split finds the elements of the array msg, and counts them; at most one more than allowed is kept. The verdict says what is
// wrong with the whole. Nothing is handled before the syntax of all of it is known to be right.
func (r *batchRun) split(msg []byte) (n int, v verdict) {
	if !r.d.allowsBatch() {
		return 0, r.unsound(msg, "batches are not part of the protocol")
	}
	i := wire.Space(msg, wire.Space(msg, 0)+1)
	if i < len(msg) && msg[i] == ']' {
		return 0, r.unsound(msg, "the batch is empty")
	}
	most := r.d.opts.MaxBatch + 1
	r.elements = slices.Grow(r.elements, min(most, len(msg)/64+1)) // a short request is that long
	depth := min(r.d.depth, wire.MaxDepth-1) - 1
	for {
		opened, end := openUsual(msg, i, depth)
		if end < 0 {
			end = wire.Skip(msg, i, wire.MaxDepth-1)
		}
		if end < 0 {
			if err := notDeep(wire.Check(msg, wire.MaxDepth)); err != nil {
				return 0, verdict{object: parseError, detail: err.Error()}
			}
			end = skipValid(msg, i) // too deep: the element answers for that
		}
		if n++; n <= most {
			r.elements = slices.Grow(r.elements, 1)[:n]
			e := &r.elements[n-1] // not appended: it is empty, and large
			e.run, e.msg, e.opened = r, msg[i:end], opened
		}
		if i = wire.Space(msg, end); i >= len(msg) || msg[i] != ',' {
			break
		}
		i = wire.Space(msg, i+1)
	}
	if i >= len(msg) || msg[i] != ']' || wire.Space(msg, i+1) != len(msg) {
		return 0, r.unsound(msg, "the batch is no array")
	}
	return n, v
}

// unsound is the verdict on a message that is not to be split: it may not even be JSON.
func (r *batchRun) unsound(msg []byte, detail string) verdict {
	if err := notDeep(wire.Check(msg, wire.MaxDepth)); err != nil {
		return verdict{object: parseError, detail: err.Error()}
	}
	return verdict{object: invalidRequest, detail: detail}
}

// notDeep returns err unless it only says that a text is nested too deep.
func notDeep(err error) error {
	if _, deep := errors.AsType[*wire.DepthError](err); deep {
		return nil
	}
	return err
}

// join appends the answers in the order of the elements. What would make the message too large is answered -32603.
func (r *batchRun) join(dst []byte) []byte {
	size, start := 0, len(dst)
	for i := range r.elements {
		size += len(r.elements[i].answer) + 1
	}
	all := make([]byte, 0, size+1) // and not dst: the answers may be where they would go
	for i := range r.elements {
		e := &r.elements[i]
		if len(e.answer) == 0 {
			continue
		}
		all = append(all, ',')
		if size := len(all) + len(e.answer); size >= r.d.opts.MaxMessage {
			if id := e.id(r.d); len(id) > 0 {
				r.d.peerLog.Warn("the results of a batch are larger than a message may be", "max", r.d.opts.MaxMessage)
				all = r.d.appendError(all, id, internal)
				continue
			}
		}
		all = append(all, e.answer...)
	}
	if start == 0 && cap(dst) < len(all) {
		return brackets(all, 0)
	}
	return brackets(append(dst, all...), start)
}

// brackets makes an array of the answers from start on, each behind a comma. No answers are no array.
func brackets(b []byte, start int) []byte {
	if len(b) == start {
		return b
	}
	b[start] = '['
	return append(b, ']')
}

// duplicateID refuses a request whose id is in flight already.
func duplicateID(id []byte) verdict {
	return verdict{object: invalidRequest, detail: "a request with this id is in flight", id: id}
}
