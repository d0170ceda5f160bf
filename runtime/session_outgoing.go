package runtime

import "sync"

// outgoing is the session's own requests that wait for a response.
type outgoing struct {
	mu       sync.Mutex
	pending  map[int64]*waiter // by id
	batches  int               // batches among them
	spare    []*waiter         // that wait for nothing
	over     bool              // no response can come any more
	farewell error             // what the peer said last, about no request; nil: nothing
}

// waiter waits for the responses to ids first to first+n-1.
type waiter struct {
	first   int64
	n       int
	left    int
	one     []byte   // the response, or one that answers for a whole batch
	replies [][]byte // of a batch; nil: it is none
	err     error
	done    chan struct{} // gets one token at the end
}

// spares is how many waiters a session keeps for the next calls. They are its own: a channel belongs to the bubble that it was made
// in, when a program is tested with testing/synctest.
const spares = 16

// expect lists a waiter for the request with the id first, or for the batch whose replies are to be filled in. It returns nil when no
// response can come any more.
func (o *outgoing) expect(first int64, replies [][]byte) (w *waiter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return nil
	}
	if last := len(o.spare) - 1; last >= 0 {
		w, o.spare = o.spare[last], o.spare[:last]
	} else {
		w = &waiter{done: make(chan struct{}, 1)}
	}
	w.first, w.n, w.replies = first, max(1, len(replies)), replies
	w.left = w.n
	if o.pending == nil {
		o.pending = make(map[int64]*waiter)
	}
	for i := range w.n {
		o.pending[first+int64(i)] = w
	}
	if replies != nil {
		o.batches++
	}
	return w
}

// release gives w back after it got its token: nothing else refers to it any more.
func (o *outgoing) release(w *waiter) {
	*w = waiter{done: w.done}
	o.mu.Lock()
	if len(o.spare) < spares {
		o.spare = append(o.spare, w)
	}
	o.mu.Unlock()
}

// abandon stops w from waiting. It reports false when its end is here already.
func (o *outgoing) abandon(w *waiter) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.left == 0 {
		return false
	}
	o.dropLocked(w)
	return true
}

// dropLocked takes w off the list.
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

// deliver gives msg to the waiter for request n. It reports false when there is none.
func (o *outgoing) deliver(n int64, msg []byte) bool {
	o.mu.Lock()
	w := o.pending[n]
	if w == nil {
		o.mu.Unlock()
		return false
	}
	delete(o.pending, n)
	o.farewell = nil // it was none
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
		w.done <- struct{}{}
	}
	return true
}

// deliverToBatch gives an error without id to the one batch that waits: the answer to a batch that was not accepted (JSON-RPC
// 2.0 section 6).
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

// busy reports whether requests wait.
func (o *outgoing) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending) > 0
}

// said notes an error that the peer has answered to no request.
func (o *outgoing) said(err error) {
	o.mu.Lock()
	o.farewell = err
	o.mu.Unlock()
}

// last returns what the peer said last about no request, or nil.
func (o *outgoing) last() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.farewell
}

// end takes all waiters off the list, because no response can come any more.
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

// rest gives back what is kept for the next call.
func (o *outgoing) rest() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spare = nil
	if len(o.pending) == 0 {
		o.pending = nil
	}
}

// fail ends waiting with an error.
func fail(waiters []*waiter, cause error) {
	for _, w := range waiters {
		w.err = &closedError{cause}
		w.done <- struct{}{}
	}
}
