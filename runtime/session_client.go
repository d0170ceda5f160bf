package runtime

import (
	"context"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// maxID is the bound of own ids: exact in every peer's integers of 64 bits, and never reached by counting.
const maxID = 1 << 60

// NextID reserves n ids; see [Conn].
func (s *Session) NextID(n int) (int64, error) {
	for {
		last := s.lastID.Load()
		if int64(n) >= maxID-last {
			return 0, ErrIDsExhausted
		}
		if s.lastID.CompareAndSwap(last, last+int64(n)) {
			return last + 1, nil
		}
	}
}

// Call sends a request and waits for the response; see [Conn].
func (s *Session) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	w, err := s.roundTrip(ctx, id, nil, msg)
	if err != nil {
		return nil, err
	}
	reply := w.one
	s.release(w)
	return reply, nil
}

// CallBatch sends a batch and waits for its responses; see [Conn].
func (s *Session) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	if n == 0 {
		return nil, s.Notify(ctx, msg)
	}
	w, err := s.roundTrip(ctx, first, make([][]byte, n), msg)
	if err != nil {
		return nil, err
	}
	if w.one != nil {
		for i := range w.replies {
			if w.replies[i] == nil {
				w.replies[i] = w.one
			}
		}
	}
	return w.replies, nil
}

// Notify sends a notification; see [Conn].
func (s *Session) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(msg) > s.d.opts.MaxMessage {
		return &frame.TooLargeError{Size: int64(len(msg)), Max: s.d.opts.MaxMessage}
	}
	if err := s.open(); err != nil {
		return err
	}
	return s.write(ctx, msg)
}

// roundTrip sends the request with the id first, or the batch whose replies are to be filled in, and waits.
func (s *Session) roundTrip(ctx context.Context, first int64, replies [][]byte, msg []byte) (*waiter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c := callFrom(ctx); c != nil {
		c.begin() // who waits for a response does not keep others from reading it
	}
	if len(msg) > s.d.opts.MaxMessage {
		return nil, &frame.TooLargeError{Size: int64(len(msg)), Max: s.d.opts.MaxMessage}
	}
	w, err := s.expect(first, replies)
	if err != nil {
		return nil, err
	}
	if err := s.write(ctx, msg); err != nil {
		s.abandon(w)
		return nil, err
	}
	err = s.await(ctx, w)
	s.used()
	return w, err
}

// await waits for the end of w, or that of ctx.
func (s *Session) await(ctx context.Context, w *waiter) error {
	if ctx.Done() == nil {
		<-w.done
		return w.err
	}
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	if s.abandon(w) {
		return ctx.Err()
	}
	<-w.done // it came in this moment
	return w.err
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

// expect makes a waiter and lists it.
func (s *Session) expect(first int64, replies [][]byte) (w *waiter, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.aliveLocked(); err != nil {
		return nil, err
	}
	if last := len(s.spare) - 1; last >= 0 {
		w, s.spare = s.spare[last], s.spare[:last]
	} else {
		w = &waiter{done: make(chan struct{}, 1)}
	}
	w.first, w.n, w.replies = first, max(1, len(replies)), replies
	w.left = w.n
	if s.pending == nil {
		s.pending = make(map[int64]*waiter)
	}
	for i := range w.n {
		s.pending[first+int64(i)] = w
	}
	if replies != nil {
		s.batches++
	}
	return w, nil
}

// release gives w back after it got its token: nobody else knows it any more.
func (s *Session) release(w *waiter) {
	*w = waiter{done: w.done}
	s.mu.Lock()
	if len(s.spare) < spares {
		s.spare = append(s.spare, w)
	}
	s.mu.Unlock()
}

// abandon stops w from waiting. False: its end is here already.
func (s *Session) abandon(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.left == 0 {
		return false
	}
	s.drop(w)
	return true
}

// drop takes w off the list. The lock is held.
func (s *Session) drop(w *waiter) {
	for i := range w.n {
		if s.pending[w.first+int64(i)] == w {
			delete(s.pending, w.first+int64(i))
		}
	}
	if w.replies != nil {
		s.batches--
	}
	w.left = 0
}

// open returns why nothing can be sent any more, or nil. A peer whose input has ended may still read.
func (s *Session) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.endedLocked()
	}
	return nil
}

// aliveLocked returns why no response can come any more, or nil. The lock is held.
func (s *Session) aliveLocked() error {
	if s.reading && !s.closed {
		return nil
	}
	return s.endedLocked()
}

func (s *Session) endedLocked() error {
	switch {
	case s.err != nil:
		return &closedError{s.err}
	case s.farewell != nil:
		return &closedError{s.farewell}
	}
	return ErrClosed
}

// response gives a response to the call that waits for it. Others are dropped.
func (s *Session) response(msg []byte, e *envelope) {
	var id []byte
	if e.seen&hasID != 0 {
		id = e.id.of(msg)
	}
	if s.deliver(id, msg) {
		return
	}
	if e.seen&hasError != 0 && (id == nil || string(id) == "null") && s.deliverToBatch(msg) {
		return
	}
	if e.seen&hasError != 0 && (id == nil || string(id) == "null") {
		s.takeFarewell(msg, e)
		return
	}
	if s.asked(id) {
		s.d.peerLog.Debug("a response was dropped: nobody waits for it any more", "id", string(id))
		return
	}
	s.d.peerLog.Warn("a response without a request was dropped", "id", string(id))
}

// asked reports whether there was a request of our own with the id.
func (s *Session) asked(id []byte) bool {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && 0 < n && n <= s.lastID.Load()
}

// deliver gives msg to the call that waits for id. False: nobody does.
func (s *Session) deliver(id, msg []byte) bool {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return false
	}
	s.mu.Lock()
	w := s.pending[n]
	if w == nil {
		s.mu.Unlock()
		return false
	}
	delete(s.pending, n)
	s.farewell = nil // it was none
	batch := w.replies != nil
	if batch {
		w.replies[n-w.first] = msg
	} else {
		w.one = msg
	}
	w.left--
	last := w.left == 0
	if last && batch {
		s.batches--
	}
	s.mu.Unlock()
	if last {
		w.done <- struct{}{}
	}
	return true
}

// deliverToBatch gives an error without id to the one batch that waits: the answer to a batch that was not accepted (JSON-RPC
// 2.0 section 6).
func (s *Session) deliverToBatch(msg []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.batches != 1 {
		return false
	}
	for _, w := range s.pending {
		if w.replies != nil {
			w.one = msg
			s.drop(w)
			w.done <- struct{}{}
			return true
		}
	}
	return false
}

// orphans takes all who wait off the list. The lock is held.
func (s *Session) orphans() (all []*waiter) {
	for _, w := range s.pending {
		if w.left > 0 {
			w.left = 0
			all = append(all, w)
		}
	}
	s.pending, s.batches = nil, 0
	return all
}

// fail ends waiting with an error.
func fail(waiters []*waiter, cause error) {
	for _, w := range waiters {
		w.err = &closedError{cause}
		w.done <- struct{}{}
	}
}
