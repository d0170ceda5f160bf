package natsrpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// attempts is how often a call is sent that may be executed more than once.
const attempts = 3

// caller sends messages and waits for their replies, which come to one subscription.
type caller struct {
	nc     *nats.Conn
	inbox  string // what the own subjects begin with
	o      ClientOptions
	header nats.Header // of each message; nil if there is none
	sub    *nats.Subscription
	start  time.Time

	lastID, lastToken atomic.Int64

	mu      sync.Mutex
	pending map[string]*waiter // by token
	closed  chan struct{}      // closed when no reply can arrive any more
}

// waiter waits for the reply to one message, which may have been sent several times.
type waiter struct {
	token string
	reply chan *nats.Msg // has room for one of each attempt
	seen  atomic.Int64   // when the server last reported that the call is running, as a duration since the caller was made
}

// newCaller returns a caller whose options have defaults. It has to be closed.
func newCaller(nc *nats.Conn, o ClientOptions) (*caller, error) {
	c := &caller{nc: nc, inbox: nc.NewInbox(), o: o, start: time.Now(), pending: make(map[string]*waiter), closed: make(chan struct{})}
	sub, err := nc.Subscribe(c.inbox+replySuffix+".*.*", c.deliver)
	if err != nil {
		return nil, connError(err)
	}
	c.sub = sub
	sub.SetClosedHandler(func(string) { close(c.closed) }) // also at the end of the connection
	return c, nil
}

// close makes the calls in flight fail with [runtime.ErrClosed].
func (c *caller) close() {
	if c.sub.Unsubscribe() == nil {
		<-c.closed
	}
}

// flush waits briefly until NATS has received what was sent.
func flush(nc *nats.Conn) {
	const patience = 5 * time.Second
	if isConnected(nc) {
		nc.FlushTimeout(patience)
	}
}

// isClosed reports whether the caller or its connection to NATS is closed.
func (c *caller) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return c.nc.IsClosed()
	}
}

// deliver passes a reply to the call that waits for it, and drops any other. It must not block.
func (c *caller) deliver(m *nats.Msg) {
	token, _, _ := strings.Cut(m.Subject[len(c.inbox)+len(replySuffix)+1:], ".")
	c.mu.Lock()
	w := c.pending[token]
	c.mu.Unlock()
	switch {
	case w == nil:
	case len(m.Data) == 0 && m.Header.Get(statusHeader) == working: // the call is still running
		w.seen.Store(int64(time.Since(c.start)))
	default:
		select {
		case w.reply <- m:
		default:
		}
	}
}

// expect returns a waiter for a new message.
func (c *caller) expect() *waiter {
	w := &waiter{token: strconv.FormatInt(c.lastToken.Add(1), 36), reply: make(chan *nats.Msg, attempts)}
	c.mu.Lock()
	c.pending[w.token] = w
	c.mu.Unlock()
	return w
}

// forget undoes expect.
func (c *caller) forget(w *waiter) {
	c.mu.Lock()
	delete(c.pending, w.token)
	c.mu.Unlock()
}

// replyTo returns the reply subject of an attempt.
func (c *caller) replyTo(w *waiter, attempt int) string {
	return c.inbox + replySuffix + "." + w.token + "." + strconv.Itoa(attempt)
}

// call sends a request or a batch and returns the data of its reply. If again is true it may be sent more than once.
func (c *caller) call(ctx context.Context, to target, msg []byte, again bool) ([]byte, error) {
	if c.o.CallTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.o.CallTimeout)
		defer cancel()
	}
	w := c.expect()
	defer c.forget(w)
	sent, most := 0, 1
	if again {
		most = attempts
	}
	for attempt := 1; ; attempt++ {
		err := c.publish(ctx, to.calls, c.replyTo(w, attempt), msg)
		if err == nil {
			sent = attempt
			var reply []byte
			if reply, err = c.await(ctx, to.calls, w, c.patience(ctx, most-attempt)); err == nil {
				c.abandon(to, w, sent-1)
				return reply, nil
			}
		}
		if attempt == most || !isTemporary(err) || !c.pause(ctx, attempt, err) {
			c.abandon(to, w, sent)
			return nil, err
		}
	}
}

// abandon makes the server cancel the first n attempts, which have no reply or whose reply is not needed.
func (c *caller) abandon(to target, w *waiter, n int) {
	for attempt := range n {
		c.nc.Publish(to.cancel, []byte(c.replyTo(w, attempt+1)))
	}
}

// patience returns how long a call may be silent of which further attempts are possible: these share the time of ctx.
func (c *caller) patience(ctx context.Context, further int) time.Duration {
	at, ok := ctx.Deadline()
	if !ok || further == 0 {
		return c.o.Silence
	}
	return min(c.o.Silence, time.Until(at)/time.Duration(further+1))
}

// isTemporary reports whether another attempt may succeed after err.
func isTemporary(err error) bool {
	_, lost := errors.AsType[*LostError](err)
	_, none := errors.AsType[*NoServerError](err)
	return lost || none || errors.Is(err, ErrDisconnected)
}

// pause waits before another attempt. It reports false if there is no time for one.
func (c *caller) pause(ctx context.Context, attempt int, err error) bool {
	if _, lost := errors.AsType[*LostError](err); lost {
		return ctx.Err() == nil // enough time has passed
	}
	const shortest = 50 * time.Millisecond
	d := shortest << (2 * (attempt - 1)) // 50 ms and 200 ms, and up to as much again
	select {
	case <-time.After(d + rand.N(d)):
		return true
	case <-ctx.Done():
	case <-c.closed:
	}
	return false
}

// await waits for the reply to a message that was sent, as long as its server gives signs of life.
func (c *caller) await(ctx context.Context, subject string, w *waiter, patience time.Duration) ([]byte, error) {
	const steps = 4 // of the patience, so that a process that stood still gives up a part of it alone before it reads what has arrived meanwhile
	sent, reconnects := time.Since(c.start), c.nc.Stats().Reconnects
	timer := time.NewTimer(patience / steps)
	defer timer.Stop()
	for seen, silent := w.seen.Load(), 0; ; timer.Reset(patience / steps) {
		select {
		case m := <-w.reply:
			switch {
			case late(ctx):
				return nil, context.DeadlineExceeded
			case len(m.Data) == 0 && m.Header.Get("Status") == "503": // of NATS: no subscription gets the request
				return nil, &NoServerError{subject}
			}
			return c.checkReply(m)
		case <-timer.C:
			if now := w.seen.Load(); now != seen {
				seen, silent = now, 0
			} else if silent++; silent == steps {
				return nil, &LostError{subject, (time.Since(c.start) - max(sent, time.Duration(seen))).Round(time.Millisecond), c.nc.Stats().Reconnects != reconnects}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, runtime.ErrClosed
		}
	}
}

// late reports whether the deadline of ctx has passed. A reply then may be the error of a handler whose context has ended.
func late(ctx context.Context) bool {
	at, ok := ctx.Deadline()
	return ok && !time.Now().Before(at)
}

// checkReply returns the data of a reply within the size limit.
func (c *caller) checkReply(m *nats.Msg) ([]byte, error) {
	if len(m.Data) > c.o.MaxMessage {
		return nil, &frame.TooLargeError{Size: int64(len(m.Data)), Max: c.o.MaxMessage}
	}
	return m.Data, nil
}

// publish sends a message. Nothing is kept for later: a call that is sent after its caller has given up would be executed for nobody.
func (c *caller) publish(ctx context.Context, subject, reply string, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.isClosed() {
		return runtime.ErrClosed
	}
	if !isConnected(c.nc) {
		return ErrDisconnected
	}
	m := &nats.Msg{Subject: subject, Reply: reply, Data: msg}
	if err := c.addHeader(ctx, m); err != nil {
		return err
	}
	if largest := min(c.o.MaxMessage, payload(c.nc)); len(msg) > largest {
		return &frame.TooLargeError{Size: int64(len(msg)), Max: largest}
	}
	return connError(c.nc.PublishMsg(m))
}

// addHeader adds the headers to a message.
func (c *caller) addHeader(ctx context.Context, m *nats.Msg) error {
	at, limited := ctx.Deadline()
	if limited = limited && m.Reply != ""; !limited && c.o.Header == nil {
		m.Header = c.header // which is not changed
		return nil
	}
	m.Header = make(nats.Header, len(c.header)+2)
	maps.Copy(m.Header, c.header)
	if limited {
		left := max(0, time.Until(at).Milliseconds()) + 1 // rounded up, so that the caller gives up first
		m.Header[timeoutHeader] = []string{strconv.FormatInt(left, 10)}
	}
	if c.o.Header == nil {
		return nil
	}
	if err := c.o.Header(ctx, m.Header); err != nil {
		return fmt.Errorf("natsrpc: the headers of a message: %w", err)
	}
	return nil
}

// isConnected reports whether messages can be sent now.
func isConnected(nc *nats.Conn) bool {
	switch nc.Status() {
	case nats.CONNECTED, nats.DRAINING_SUBS, nats.DRAINING_PUBS:
		return true
	}
	return false
}

// connError returns the error of this package for one of nats.go.
func connError(err error) error {
	switch {
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrInvalidConnection):
		return runtime.ErrClosed
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrDisconnected):
		return ErrDisconnected
	}
	return err
}
