package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// sessionCall is a request of a session's client. Its handler has a goroutine of its own, because
// it continues when the client loses or closes the connection: what it sends is kept until the
// client reconnects. As a [runtime.Conn] it sends messages on the stream of the request, which
// begins with the first message.
type sessionCall struct {
	*session        // for its ids
	key      string // in the session's list of calls: the text of the id, or a number for a batch
	batch    bool
	primes   bool // the client accepts an event without data
	cancel   context.CancelCauseFunc
	share    web.Share // of the quota of calls
	outcome  transport.Outcome
	ready    chan struct{} // closed when there is a stream or the answer

	// The session's lock guards the following fields.
	stream  *stream // nil until it begins
	over    bool
	unsaved bool    // what the call has changed could not be saved for other replicas
	asking  int     // number of questions that wait for answers; meanwhile the call does not keep the session from being idle
	buf     *[]byte // of the answer
	answer  []byte  // if there is no stream
}

var (
	errDuplicate = errors.New("a request with this id is already in flight")
	errOverload  = errors.New("too many requests are in flight")
)

// begin makes a call of the client's request whose id has the key, which is empty for a batch. It
// returns the call and the context of its handler. That context has the values of the HTTP
// request's context, but does not end with it. The call ends with [sessionCall.run].
func (s *session) begin(ctx context.Context, r *http.Request, at *web.Share, key string) (*sessionCall, context.Context, error) {
	c := &sessionCall{session: s, key: key, batch: key == "", ready: make(chan struct{})}
	c.primes = protocol.Of(r.Header.Get(headerVersion)).Primes
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.batch {
		s.batches++
		c.key = "batch " + strconv.FormatInt(s.batches, 10)
	}
	switch {
	case s.closed:
		return nil, nil, errSessionOver
	case s.calls[c.key] != nil:
		return nil, nil, errDuplicate
	case len(s.calls) >= s.h.o.Runtime.MaxCalls:
		return nil, nil, errOverload
	}
	s.calls[c.key] = c
	c.share = at.Hand()
	s.busy(1)
	s.h.running.Add(1)
	ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if cause := s.early.take(c.key); cause != nil {
		c.cancel(cause)
	}
	ctx = protocol.WithHTTP(ctx, mirror.Headers(r.Header))
	return c, transport.WithPeer(ctx, c), nil
}

// run serves the message.
func (c *sessionCall) run(ctx context.Context, msg []byte) {
	defer c.h.leave()
	defer c.share.Leave()
	defer c.Unuse()
	defer c.cancel(nil)
	before := c.stateVersion()
	web.Dispatch(ctx, c.d, msg, func(buf *[]byte, answer []byte, o transport.Outcome) {
		if !c.keep(before) {
			c.mu.Lock()
			c.unsaved = true
			c.mu.Unlock()
		}
		c.outcome = o
		c.finish(buf, answer)
	})
}

// finish sends the answer.
func (c *sessionCall) finish(buf *[]byte, answer []byte) {
	if st := c.streaming(); st != nil && len(answer) > 0 {
		c.push(context.Background(), st, answer)
	}
	c.end(buf, answer)
}

// streaming returns the stream, or nil if there is none and none will begin.
func (c *sessionCall) streaming() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = c.stream == nil
	return c.stream
}

// end ends the call.
func (c *sessionCall) end(buf *[]byte, answer []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, c.key)
	if !c.batch {
		c.answered.add(c.key)
	}
	if c.stream != nil {
		c.store.finish(c.stream)
		buffer.Put(buf, answer)
		return
	}
	c.buf, c.answer = buf, answer
	close(c.ready)
}

// open returns the stream of the call, and begins it if necessary.
func (c *sessionCall) open() (*stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.closed {
		return nil, runtime.ErrClosed
	}
	if c.stream == nil {
		c.requests++
		request := c.key
		if c.batch {
			request = ""
		}
		c.stream = c.store.newStream(c.requests, c.suffix(request))
		if c.primes {
			c.store.add(c.stream, nil)
		}
		close(c.ready)
	}
	return c.stream, nil
}

// Notify sends a notification on the stream of the request.
func (c *sessionCall) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	st, err := c.open()
	if err != nil {
		return err
	}
	return c.push(ctx, st, msg)
}

// Call sends a request on the stream of the client's request and waits for the response, which
// arrives in another request. The session of a client that has disappeared expires as usual.
func (c *sessionCall) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	c.waits(1)
	defer c.waits(-1)
	return c.session.roundTrip(ctx, id, msg, c.Notify)
}

// waits counts questions that wait for answers.
func (c *sessionCall) waits(n int) {
	c.mu.Lock()
	was := c.asking > 0
	c.asking += n
	now := c.asking > 0
	c.mu.Unlock()
	switch {
	case now && !was:
		c.Unuse()
	case was && !now:
		c.reuse()
	}
}

var errNoReturn = errors.New("mcphttp: the client would not reconnect after the stream was closed")

// CloseStream closes the connection of the request while the request continues, see
// [mcp.CloseStream].
func (c *sessionCall) CloseStream() error {
	if !c.primes {
		return errNoReturn
	}
	st, err := c.open()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	st.hangup = true
	st.signal()
	return nil
}

// respond answers the HTTP request of a call that is ready.
func (c *sessionCall) respond(ctx context.Context, w http.ResponseWriter) {
	c.mu.Lock()
	st, buf, answer, unsaved := c.stream, c.buf, c.answer, c.unsaved
	c.mu.Unlock()
	switch {
	case st != nil:
		c.pump(ctx, w, st, 0, nil)
		return
	case unsaved:
		buffer.Put(buf, answer)
		c.h.refuse(w, unavailable)
		return
	}
	status := sessionStatus(&c.outcome)
	if c.batch && len(answer) > 0 && !isArray(answer) {
		status = http.StatusBadRequest // the batch was rejected as a whole
	}
	c.h.demand(w, &c.outcome)
	c.h.answer(w, c.caller, status, answer)
	buffer.Put(buf, answer)
}
