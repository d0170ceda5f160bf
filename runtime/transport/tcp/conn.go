package tcp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// conn carries frames over a network connection.
type conn struct {
	frame.Conn
	r *reader
}

// newConn returns c as a connection of frames. The counter pending holds the bytes of messages that
// have arrived partly; a nil pending is not used.
func newConn(c net.Conn, o options, pending *atomic.Int64) *conn {
	r := &reader{Conn: c, message: o.message, idle: o.idle, pending: pending, most: o.pending}
	w := o.framing.NewWriter(writer{c, o.write}, o.max)
	return &conn{frame.NewConn(o.framing.NewReader(r, o.max), w, c.Close), r}
}

// ReadFrame returns the next frame, see [frame.Conn].
func (c *conn) ReadFrame() ([]byte, error) {
	p, err := c.Conn.ReadFrame()
	c.r.over(err)
	return p, err
}

// firstWithin sets how long the first message may take.
func (c *conn) firstWithin(d time.Duration) {
	if d > 0 {
		c.r.first = d
		c.r.SetReadDeadline(time.Now().Add(d))
	}
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
	message time.Duration // negative means no limit
	idle    time.Duration // 0 means no limit
	first   time.Duration // not 0 until the first message was read; its deadline is set
	busy    func() bool   // reports whether calls are in flight, during which a connection is not idle; may be nil
	phase   phase

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
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	r.SetReadDeadline(at)
}

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
		case os.IsTimeout(err) && n == 0:
			if r.first == 0 && r.phase == waiting && r.busy != nil && r.busy() {
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
