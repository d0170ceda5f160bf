package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// CloseError means that the connection was closed with a code other than that of a normal end (RFC
// 6455 section 7.4.1).
type CloseError struct {
	Code   int
	Reason string // empty if none was given
}

func (e *CloseError) Error() string {
	text := "websocket: the connection was closed with the code " + strconv.Itoa(e.Code)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// TimeoutError means that a connection was closed because the peer took too long.
type TimeoutError struct {
	What  string // what did not arrive
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("websocket: %s did not come within %s", e.What, e.After)
}

// settings are the settings that both ends of a connection have.
type settings struct {
	max            int
	interval, pong time.Duration
	message        time.Duration
	pending        *atomic.Int64 // bytes of messages that have arrived partly, of all connections; nil if not counted
	mostPending    int64
}

// conn is a connection of frames.
type conn struct {
	ws      *websocket.Conn
	net     *wire
	o       settings
	secrets *web.Secrets // of the handshake of a client, which errors do not repeat; nil for a server

	mu     sync.Mutex
	ping   *time.Timer
	closed bool
	code   websocket.StatusCode // the code that Close sends
	reason string
	cause  error // why the connection was closed early; may be nil
	once   sync.Once
	over   bool // its session has ended; the handler has the lock for it
}

func newConn(ws *websocket.Conn, n *wire, o settings) *conn {
	ws.SetReadLimit(-1) // which is checked here
	c := &conn{ws: ws, net: n, o: o, code: websocket.StatusNormalClosure}
	c.mu.Lock()
	c.ping = time.AfterFunc(o.interval, c.check)
	c.mu.Unlock()
	return c
}

// check closes a connection whose peer does not answer pings.
func (c *conn) check() {
	ctx, cancel := context.WithTimeout(context.Background(), c.o.pong)
	err := c.ws.Ping(ctx)
	cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
	case err == nil:
		c.ping.Reset(c.o.interval)
	default:
		c.cause = &TimeoutError{"the answer to a ping", c.o.pong}
		c.net.Close()
	}
}

// ReadFrame returns the next message, see [frame.Conn].
func (c *conn) ReadFrame() ([]byte, error) {
	kind, r, err := c.ws.Reader(context.Background())
	if err != nil {
		return nil, c.readEnd(err)
	}
	if kind != websocket.MessageText {
		return nil, c.refuse(websocket.StatusUnsupportedData, "messages are text")
	}
	c.net.within(c.o.message)
	msg, err := c.readMessage(r)
	if err != nil {
		return nil, err
	}
	c.net.within(0)
	return c.secrets.HideErrors(msg), nil
}

// readMessage reads the rest of a message. Memory for a large message is allocated as it arrives.
func (c *conn) readMessage(r io.Reader) ([]byte, error) {
	const small = 4 << 10 // bytes; less is not counted
	held := 0
	defer func() { c.hold(-held) }()
	b := make([]byte, 0, 512)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > c.o.max:
			return nil, c.refuse(websocket.StatusMessageTooBig, "a message may have "+strconv.Itoa(c.o.max)+" bytes")
		case err == io.EOF && !utf8.Valid(b):
			return nil, c.refuse(websocket.StatusInvalidFramePayloadData, "a text is not UTF-8")
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, c.readEnd(err)
		case len(b) < cap(b):
			continue
		}
		b = slices.Grow(b, min(len(b), c.o.max+1-len(b)))
		if more := cap(b) - held; cap(b) > small {
			held += more
			if !c.hold(more) {
				return nil, c.refuse(websocket.StatusTryAgainLater, "messages that have arrived in part take too much memory")
			}
		}
	}
}

// hold counts the memory of a message that has arrived partly. It reports false if all of them take
// too much.
func (c *conn) hold(bytes int) bool {
	return bytes == 0 || c.o.pending == nil || c.o.pending.Add(int64(bytes)) <= c.o.mostPending
}

// refuse closes the connection because of what the peer sent.
func (c *conn) refuse(code websocket.StatusCode, reason string) error {
	c.say(code, reason)
	return &CloseError{int(code), reason}
}

// say sets the code and reason that Close sends, unless they are set already.
func (c *conn) say(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == websocket.StatusNormalClosure {
		c.code, c.reason = code, reason
	}
}

// readEnd returns the error for a connection that cannot be read any more.
func (c *conn) readEnd(err error) error {
	c.mu.Lock()
	closed, cause := c.closed, c.cause
	c.mu.Unlock()
	var said websocket.CloseError
	var fault *CloseError
	switch {
	case cause != nil:
		return cause
	case closed:
		return frame.ErrClosed
	case errors.As(err, &fault):
		return c.refuse(websocket.StatusCode(fault.Code), fault.Reason)
	case errors.As(err, &said):
		switch said.Code {
		case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
			return frame.ErrClosed
		}
		return &CloseError{int(said.Code), c.secrets.Hide(said.Reason)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.say(websocket.StatusPolicyViolation, "the rest of a message did not come in time")
		return &TimeoutError{"the rest of a message", c.o.message}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return frame.ErrHangup
	case errors.Is(err, net.ErrClosed):
		return frame.ErrClosed
	}
	c.say(websocket.StatusProtocolError, "a frame is malformed")
	return c.secrets.HideError(err)
}

// WriteFrame writes a message, see [frame.Conn].
func (c *conn) WriteFrame(msg []byte) error {
	if len(msg) > c.o.max {
		return &frame.TooLargeError{Size: int64(len(msg)), Max: c.o.max}
	}
	return c.ws.Write(context.Background(), websocket.MessageText, msg)
}

// Close sends a close frame, waits briefly for that of the peer, and closes both directions, see
// [frame.Conn].
func (c *conn) Close() error {
	c.once.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.ping.Stop()
		code, reason := c.code, c.reason
		c.mu.Unlock()
		c.net.end()
		c.ws.Close(code, reason)
	})
	return nil
}

// wire is the underlying connection with deadlines. Each write has one, including those of control
// frames.
type wire struct {
	net.Conn
	in    *frames // what is read; nil for a client, whose frames come through TLS
	write time.Duration

	mu     sync.Mutex
	ending bool
}

func (w *wire) Read(p []byte) (int, error) {
	if w.in != nil {
		return w.in.Read(p)
	}
	return w.Conn.Read(p)
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	if !w.ending {
		w.Conn.SetWriteDeadline(time.Now().Add(w.write))
	}
	w.mu.Unlock()
	return w.Conn.Write(p)
}

// within sets how long the next read may take. Zero means no limit.
func (w *wire) within(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ending {
		w.Conn.SetReadDeadline(at)
	}
}

// end limits the time of further reads and writes, so that a peer which does not answer a close
// frame is not waited for.
func (w *wire) end() {
	const patience = time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	w.Conn.SetDeadline(time.Now().Add(patience))
}
