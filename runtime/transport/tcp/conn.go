package tcp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// conn carries frames over a network connection.
type conn struct {
	frame.Conn
	frame.Gatherer
	r    *reader
	over bool // its session has ended; the server has the lock for it
}

// newConn returns c as a connection of frames. The counter pending holds the bytes of messages that
// have arrived partly; a nil pending is not used.
func newConn(c net.Conn, o options, pending *atomic.Int64) *conn {
	r := &reader{Conn: c, message: o.message, idle: o.idle, pending: pending, most: o.pending}
	w := o.framing.NewWriter(writer{c, o.write}, o.max)
	framed := frame.NewConn(o.framing.NewReader(r, o.max), w, c.Close)
	return &conn{Conn: framed, Gatherer: framed.(frame.Gatherer), r: r} // as every writer of a framing is
}

// ReadFrame returns the next frame, see [frame.Conn].
func (c *conn) ReadFrame() ([]byte, error) {
	p, err := c.Conn.ReadFrame()
	c.r.over(err)
	return p, err
}

// Interrupt implements [frame.Interrupter]: a read that waits for the next message returns.
func (c *conn) Interrupt() {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.r.woken = true
	c.r.SetReadDeadline(past)
}

// phase is what a reader waits for.
type phase uint8

const (
	waiting phase = iota // the next message
	inside               // the rest of a message
)

// reader distinguishes the ways in which a connection ends, and limits how long a peer may take. It
// sets a deadline only when it has to wait for the rest of a message, so a message that arrives at
// once costs none.
type reader struct {
	net.Conn
	message time.Duration                   // negative means no limit
	idle    time.Duration                   // 0 means no limit
	first   time.Duration                   // not 0 until the first message was read; its deadline is set
	session atomic.Pointer[runtime.Session] // during whose calls the connection is not idle; may be nil
	phase   phase

	mu    sync.Mutex // of the deadline of reads
	due   time.Time  // what it is unless Interrupt was called; zero if there is none
	woken bool       // by Interrupt, until a read has returned for it

	letters int  // capital letters that the connection has begun with
	known   bool // that the peer does not speak HTTP

	pending *atomic.Int64
	most    int64
	held    int // this connection's share of pending, in bytes
}

var errPending = errors.New("messages that have arrived in part take too much memory")

// Await sets the deadline of the next read, see [frame.Pacer].
func (r *reader) Await(in bool, held int) error {
	if r.pending != nil && held != r.held {
		if r.hold(held) > r.most && held > 0 {
			return errPending
		}
	}
	switch {
	case r.first > 0:
	case in && r.phase == waiting:
		r.phase = inside
		r.within(r.message)
	case !in && (r.phase == inside || r.idle > 0):
		r.phase = waiting
		r.within(r.idle)
	}
	return nil
}

// hold sets how many bytes a message of this connection that has arrived partly takes, and returns
// the sum over all connections.
func (r *reader) hold(bytes int) int64 {
	all := r.pending.Add(int64(bytes - r.held))
	r.held = bytes
	return all
}

// within sets the deadline of the next reads. There is none if d is not positive.
func (r *reader) within(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due = time.Time{}
	if d > 0 {
		r.due = time.Now().Add(d)
	}
	if !r.woken {
		r.SetReadDeadline(r.due)
	}
}

// interrupted reports whether a read ended because of Interrupt, and sets the deadline again.
func (r *reader) interrupted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.woken {
		return false
	}
	r.woken = false
	r.SetReadDeadline(r.due)
	return true
}

// past is a deadline that ends a read at once.
var past = time.Unix(1, 0)

// over notes that a frame was read or failed.
func (r *reader) over(err error) {
	if r.held > 0 {
		r.hold(0)
	}
	if r.first > 0 && err == nil {
		r.first = 0
		r.within(r.idle)
	}
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.Conn.Read(p)
		if !r.known && r.isHTTP(p[:n]) {
			return 0, errHTTP
		}
		switch {
		case err == nil:
		case err == io.EOF:
			err = frame.ErrHangup
		case errors.Is(err, net.ErrClosed):
			err = frame.ErrClosed
		case os.IsTimeout(err) && n == 0 && r.interrupted():
			if r.phase == inside || r.first > 0 {
				continue
			}
			err = frame.ErrInterrupted
		case os.IsTimeout(err) && n == 0:
			if r.first == 0 && r.phase == waiting && r.session.Load().Busy() {
				r.within(r.idle)
				continue
			}
			err = r.late()
		}
		return n, err
	}
}

var errHTTP = errors.New("the peer sends an HTTP request, and messages in its body are not read")

// isHTTP reports whether the connection has begun with a method of HTTP, which no message and no
// header of a frame does. The body of such a request may be a message: any page in a browser can send
// one to a service on the same machine, and there is no Origin to check.
func (r *reader) isHTTP(p []byte) bool {
	for _, b := range p {
		if 'A' <= b && b <= 'Z' {
			r.letters++
			continue
		}
		r.known = true
		return b == ' ' && r.letters > 0
	}
	return false
}

// TimeoutError means that a connection was closed because the peer took too long.
type TimeoutError struct {
	What  string // what did not arrive
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s did not come within %s", e.What, e.After)
}

// late returns the error that says what did not arrive in time.
func (r *reader) late() error {
	switch {
	case r.first > 0:
		return &TimeoutError{"the first message", r.first}
	case r.phase == inside:
		return &TimeoutError{"the rest of a message", r.message}
	}
	return &TimeoutError{"another message", r.idle}
}

// writer stops waiting for a peer that does not read.
type writer struct {
	net.Conn
	timeout time.Duration
}

func (w writer) Write(p []byte) (int, error) {
	w.SetWriteDeadline(time.Now().Add(w.timeout))
	return w.Conn.Write(p)
}
