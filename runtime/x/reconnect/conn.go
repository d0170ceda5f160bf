package reconnect

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ids"
)

// LostError means that the connection ended while a call was in flight. The peer may have handled
// the call or not.
type LostError struct {
	Err error // why the connection ended
}

func (e *LostError) Error() string {
	return "the connection was lost during the call, which may have been handled: " + e.Err.Error()
}

// Unwrap returns why the connection ended; it wraps [runtime.ErrClosed].
func (e *LostError) Unwrap() error { return e.Err }

// UnavailableError means that there was no connection to send a message on. It was not sent.
type UnavailableError struct {
	Err error // why the last attempt to connect failed, or why the connection was given up
}

func (e *UnavailableError) Error() string { return "there is no connection: " + e.Err.Error() }

// Unwrap returns why there is no connection.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Is reports whether target is [runtime.ErrClosed].
func (e *UnavailableError) Is(target error) bool { return target == runtime.ErrClosed }

// Conn is a connection for generated clients that connects again when its session ends. It is safe
// for concurrent use.
type Conn struct {
	dial   func(ctx context.Context) (*runtime.Session, error)
	o      Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	ids    ids.Source // of all sessions, and of the calls that wait for one

	mu      sync.Mutex
	session *runtime.Session // nil while there is none
	changed chan struct{}    // closed when session or err changes
	err     error            // why there is no session; nil if there is one
}

// Dial connects, and returns a connection that calls dial again whenever its session ends. The error
// is that of the first attempt, which is not repeated.
//
// The function dial returns a session that is ready for calls: it also does what has to be done
// anew on each connection, such as a handshake or subscriptions. It has to make the session with the
// context that it gets, or with one derived from it; the context also holds the ids of requests, so
// that the session and the Conn do not use one twice. The context ends when the Conn is closed or ctx
// ends.
func Dial(ctx context.Context, dial func(ctx context.Context) (*runtime.Session, error), o Options) (*Conn, error) {
	inner, cancel := context.WithCancelCause(ctx)
	c := &Conn{dial: dial, o: o.withDefaults(), cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	c.ctx = ids.Share(inner, &c.ids)
	s, err := c.connect()
	if err != nil {
		cancel(err)
		return nil, err
	}
	c.set(s, nil)
	go c.keep(s)
	return c, nil
}

// errClosed is the cause of the end of a Conn that was closed.
var errClosed = errors.New("it was closed by the client")

// Close closes the session, or ends the attempts to connect. Calls in flight fail. It always returns
// nil.
func (c *Conn) Close() error {
	c.cancel(errClosed)
	<-c.done
	return nil
}

// Done returns a channel that is closed when there will be no further attempt to connect: after
// Close, the end of the context of [Dial], a permanent error, or too many attempts.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why there is no connection at present, or nil if there is one.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Unwrap returns the session at present, or nil if there is none. The watching of notifications,
// which the progress of calls needs, looks for it.
func (c *Conn) Unwrap() runtime.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil
	}
	return c.session
}

// errOtherContext is the error of a session that numbers its requests without regard to the Conn.
var errOtherContext = errors.New("reconnect: the function dial made the session with another context than the one that it got, " +
	"so their requests would have equal ids: pass on that context, or one derived from it")

// connect makes a session that shares the ids of c.
func (c *Conn) connect() (*runtime.Session, error) {
	var s *runtime.Session
	var err error
	shares := c.ids.Watch(func() any {
		s, err = c.dial(c.ctx)
		return s
	})
	if err == nil && !shares {
		s.Close()
		return nil, errOtherContext
	}
	return s, err
}

// NextID implements [runtime.Conn]. Ids do not repeat from one session to the next, because a call
// may have got its id before the session ended on which it would have been sent. Nor are they those
// of requests that are sent on a session without the Conn, such as calls of a handler to its peer.
// When they are used up, the session is closed, and ids begin again with the next one.
func (c *Conn) NextID(n int) (int64, error) {
	for {
		if first, ok := c.ids.Next(n); ok {
			return first, nil
		}
		if int64(n) >= ids.Bound {
			return 0, runtime.ErrIDsExhausted
		}
		c.mu.Lock()
		if c.session != nil {
			c.session.Close()
		}
		c.ids.Set(0)
		c.mu.Unlock()
	}
}

// Call implements [runtime.Conn]. The error is an [*UnavailableError] if the request was not sent,
// and a [*LostError] if the session ended before its response arrived.
func (c *Conn) Call(ctx context.Context, id int64, msg []byte) (reply []byte, err error) {
	err = c.Within(ctx, func(s *runtime.Session) (err error) {
		reply, err = s.Call(ctx, id, msg)
		return err
	})
	return reply, err
}

// CallBatch implements [runtime.Conn], see [Conn.Call].
func (c *Conn) CallBatch(ctx context.Context, first int64, n int, msg []byte) (replies [][]byte, err error) {
	err = c.Within(ctx, func(s *runtime.Session) (err error) {
		replies, err = s.CallBatch(ctx, first, n, msg)
		return err
	})
	return replies, err
}

// Notify implements [runtime.Conn], see [Conn.Call].
func (c *Conn) Notify(ctx context.Context, msg []byte) error {
	return c.Within(ctx, func(s *runtime.Session) error { return s.Notify(ctx, msg) })
}

// Within calls f with a session. It calls f again with the next session only if the message was not
// sent, because the session had ended by then. It is for what lasts in a session, as streams do.
func (c *Conn) Within(ctx context.Context, f func(s *runtime.Session) error) error {
	var over *runtime.Session
	var patience *time.Timer
	for {
		c.mu.Lock()
		s, reason, changed := c.session, c.err, c.changed
		c.mu.Unlock()
		if s != nil && s != over {
			err := f(s)
			if isUnsent(err) {
				over = s
				continue
			}
			if errors.Is(err, runtime.ErrClosed) {
				return &LostError{err}
			}
			return err
		}
		if patience == nil {
			patience = time.NewTimer(c.o.MaxWait)
			defer patience.Stop()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			return &UnavailableError{c.Err()}
		case <-patience.C:
			return &UnavailableError{cmp.Or(reason, errEnded)}
		}
	}
}

// isUnsent reports whether a message was not sent because the session had ended before.
func isUnsent(err error) bool {
	u, ok := errors.AsType[interface {
		error
		Unsent() bool
	}](err)
	return ok && u.Unsent()
}

// set changes the session, and wakes the calls that wait for one.
func (c *Conn) set(s *runtime.Session, err error) {
	c.mu.Lock()
	c.session, c.err = s, err
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
}
