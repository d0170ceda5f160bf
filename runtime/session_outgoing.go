package runtime

import (
	"context"
	"fmt"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// outgoing holds the own requests of the session that wait for a response.
type outgoing struct {
	mu        sync.Mutex
	pending   map[int64]*waiter // by id
	batches   int32             // number of batches in pending
	over      bool              // no response can arrive any more
	spare     []*waiter         // waiters that can be reused
	connError error             // the last error from the peer that answered no request
}

// waiter waits for the responses to the n requests from id first on. The lock of outgoing protects it until left is 0. From then on it belongs to the
// goroutine that completes it, and after the token in done to the one that waits, which may then release it.
type waiter struct {
	first int64
	n     int
	// responses that have not arrived
	left    int
	one     []byte   // the response, or the one response to a whole batch
	replies [][]byte // of a batch; nil for a single request
	err     error
	done    chan struct{}                 // receives one token at the end
	then    func(reply []byte, err error) // is called instead; nil unless the request is one of [Tap]
}

// finish completes w, which is in no table any more.
func (w *waiter) finish() {
	if w.then != nil {
		w.then(w.one, w.err)
		return
	}
	w.done <- struct{}{}
}

// spares is how many waiters a session keeps for later calls. Sessions do not share them through a pool, because a channel belongs to the testing/synctest
// bubble that it was made in.
const spares = 16

// expect registers a waiter for the request with the id first, or for the batch whose responses go to replies. It must be called before the message is
// sent, so that the response finds its waiter. It returns nil if no response can arrive any more, and an error if a request with one of the ids waits
// already: its response would go to the wrong caller. The result others reports whether other requests wait.
func (o *outgoing) expect(first int64, replies [][]byte, then func(reply []byte, err error)) (w *waiter, others bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return nil, false, nil
	}
	for i := range max(1, len(replies)) {
		if id := first + int64(i); o.pending[id] != nil {
			return nil, false, fmt.Errorf("a request with the id %d is in flight already: ids come from NextID, and each is used once", id)
		}
	}
	if last := len(o.spare) - 1; last >= 0 {
		w, o.spare = o.spare[last], o.spare[:last]
	} else {
		w = &waiter{done: make(chan struct{}, 1)}
	}
	w.first, w.n, w.replies, w.then = first, max(1, len(replies)), replies, then
	w.left = w.n
	others = len(o.pending) > 0
	if o.pending == nil {
		o.pending = make(map[int64]*waiter)
	}
	for i := range w.n {
		o.pending[first+int64(i)] = w
	}
	if replies != nil {
		o.batches++
	}
	return w, others, nil
}

// await waits until w is done or ctx ends. A response that arrives at the same time as the end of ctx counts as arrived: w must receive its token before it
// can be released.
func (o *outgoing) await(ctx context.Context, w *waiter) error {
	if ctx.Done() == nil {
		<-w.done
		return w.err
	}
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	if o.abandon(w) {
		return ctx.Err()
	}
	<-w.done // the response arrived before abandon
	return w.err
}

// release keeps w for a later call. Its token must have been received, so nothing else refers to it.
func (o *outgoing) release(w *waiter) {
	*w = waiter{done: w.done}
	o.mu.Lock()
	if len(o.spare) < spares {
		o.spare = append(o.spare, w)
	}
	o.mu.Unlock()
}

// abandon stops waiting. It reports false if w was completed already: then the token has been sent or is about to be sent, and the caller has to receive
// it.
func (o *outgoing) abandon(w *waiter) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.left == 0 {
		return false
	}
	o.dropLocked(w)
	return true
}

// dropLocked removes w from the table. The ids of a batch that were answered are no longer in it.
func (o *outgoing) dropLocked(w *waiter) {
	for i := range w.n {
		if o.pending[w.first+int64(i)] == w {
			delete(o.pending, w.first+int64(i))
		}
	}
	if w.replies != nil {
		o.batches--
	}
	w.left = 0
}

// deliverTo passes msg to the waiter for the request with the id, a JSON text. It reports false if there is none.
func (o *outgoing) deliverTo(id, msg []byte) bool {
	n, ok := wire.PeekAt(id).Int64()
	return ok && o.deliver(n, msg)
}

// failsBy reports whether the request that has the id of an invalid message fails with it. The message is meant as a response if it holds a result or an
// error, whatever else it holds, or at least no member of a request.
func (o *outgoing) failsBy(v envelope.Verdict, msg []byte) bool {
	responds := v.Seen&(envelope.HasResult|envelope.HasError) != 0 || v.Seen&(envelope.HasMethod|envelope.HasParams) == 0
	return responds && o.deliverTo(v.ID, msg)
}

// deliver passes msg to the waiter for the request n. It reports false if there is none. The token is sent without the lock; the channel has room for it,
// so that never blocks.
func (o *outgoing) deliver(n int64, msg []byte) bool {
	o.mu.Lock()
	w := o.pending[n]
	if w == nil {
		o.mu.Unlock()
		return false
	}
	delete(o.pending, n)
	o.connError = nil // the peer goes on, so the error did not announce the end of the connection
	batch := w.replies != nil
	if batch {
		w.replies[n-w.first] = msg
	} else {
		w.one = msg
	}
	w.left--
	last := w.left == 0
	if last && batch {
		o.batches--
	}
	o.mu.Unlock()
	if last {
		w.finish()
	}
	return true
}

// fail ends the call, or the batch, with the request that has the id, a JSON text, because the response could not be read. It reports whether there is one.
func (o *outgoing) fail(id []byte, cause error) bool {
	n, ok := wire.PeekAt(id).Int64()
	o.mu.Lock()
	w := o.pending[n]
	if !ok || w == nil {
		o.mu.Unlock()
		return false
	}
	w.err = cause
	o.dropLocked(w)
	o.mu.Unlock()
	w.finish()
	return true
}

// deliverToBatch passes an error without id to the only batch that waits: it is the answer to a batch that the peer rejected as a whole (JSON-RPC 2.0
// section 6). It reports false if no batch or several batches wait, since the error does not say which one it answers.
func (o *outgoing) deliverToBatch(msg []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.batches != 1 {
		return false
	}
	for _, w := range o.pending {
		if w.replies != nil {
			w.one = msg
			o.dropLocked(w)
			w.done <- struct{}{}
			return true
		}
	}
	return false
}

// busy reports whether any request waits for a response.
func (o *outgoing) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending) > 0
}

// lastConnError returns the last error from the peer that answered no request, or nil.
func (o *outgoing) lastConnError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.connError
}

// end removes and returns all waiters because no response can arrive any more. From then on expect fails.
func (o *outgoing) end() (all []*waiter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.pending {
		if w.left > 0 {
			w.left = 0
			all = append(all, w)
		}
	}
	o.pending, o.batches, o.over = nil, 0, true
	return all
}

// rest frees what is kept for later calls.
func (o *outgoing) rest() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spare = nil
	if len(o.pending) == 0 {
		o.pending = nil
	}
}

// fail completes the waiters with an error.
func fail(waiters []*waiter, cause error) {
	for _, w := range waiters {
		w.err = &closedError{cause: cause}
		w.finish()
	}
}
