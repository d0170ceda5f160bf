// Package pipe connects two sessions within one program.
package pipe

import (
	"bytes"
	"io"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// New returns the two ends of a connection in memory. A frame is copied once, from the buffer of
// its writer to a new buffer for its reader. The size limit of a frame is max bytes; if max is 0,
// it is [frame.DefaultMax].
//
// Closing an end closes both directions: the other end reads what was written before, and then
// [frame.ErrClosed]. After CloseWrite it reads io.EOF instead, and can still write.
func New(max int) (a, b *Conn) {
	defaults.Set(&max, frame.DefaultMax)
	there, back := newQueue(max), newQueue(max)
	return &Conn{in: back, out: there}, &Conn{in: there, out: back}
}

// Conn is one end of the connection.
type Conn struct{ in, out *queue }

// ReadFrame returns the next frame, see [frame.Conn].
func (c *Conn) ReadFrame() ([]byte, error) { return c.in.pop() }

// WriteFrame writes a frame, see [frame.Conn]. It blocks while 64 frames are unread. A frame over
// the limit is dropped, and the reader gets an error in its place.
func (c *Conn) WriteFrame(p []byte) error { return c.out.push(p) }

// Interrupt implements [frame.Interrupter].
func (c *Conn) Interrupt() { c.in.interrupt() }

// CloseWrite ends this direction: the peer reads io.EOF after what was written.
func (c *Conn) CloseWrite() error {
	c.out.end(io.EOF, false)
	return nil
}

// Close closes both directions.
func (c *Conn) Close() error {
	c.out.end(frame.ErrClosed, false)
	c.in.end(frame.ErrClosed, true)
	return nil
}

// most is the maximum number of frames that wait in one direction.
const most = 64

// queue is one direction.
type queue struct {
	max     int
	mu      sync.Mutex
	filled  sync.Cond // a frame was added, or the queue ended
	emptied sync.Cond // a frame was removed, or the queue ended
	frames  [][]byte  // nil while idle
	head    int       // index of the first frame that was not removed
	err     error     // why no more frames are added; nil while they are
	gone    bool      // no more frames are removed
	woken   bool      // the next reader that would block returns instead
}

func newQueue(max int) *queue {
	q := &queue{max: max}
	q.filled.L, q.emptied.L = &q.mu, &q.mu
	return q
}

func (q *queue) push(p []byte) error {
	if len(p) > q.max {
		return &frame.TooLargeError{Size: int64(len(p)), Max: q.max}
	}
	own := bytes.Clone(p)
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && len(q.frames)-q.head >= most {
		q.emptied.Wait()
	}
	if q.err != nil {
		return frame.ErrClosed
	}
	q.frames = append(q.frames, own)
	q.filled.Signal()
	return nil
}

func (q *queue) pop() ([]byte, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.frames) == q.head && q.err == nil && !q.woken {
		q.filled.Wait()
	}
	q.woken = false
	if q.gone {
		return nil, frame.ErrClosed
	}
	switch {
	case len(q.frames) > q.head:
	case q.err != nil:
		return nil, q.err
	default:
		return nil, frame.ErrInterrupted
	}
	p := q.frames[q.head]
	q.frames[q.head] = nil
	if q.head++; q.head == len(q.frames) {
		q.frames, q.head = q.frames[:0], 0
	}
	q.emptied.Signal()
	return p, nil
}

// interrupt makes a blocked reader return without a frame.
func (q *queue) interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.woken = true
	q.filled.Signal()
}

// end stops adding frames, with err for the reader. If gone is set, the frames in the queue are
// dropped.
func (q *queue) end(err error, gone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || q.err == io.EOF {
		q.err = err
	}
	if gone {
		q.gone, q.frames, q.head = true, nil, 0
	}
	q.filled.Broadcast()
	q.emptied.Broadcast()
}
