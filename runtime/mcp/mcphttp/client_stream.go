package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// errCut is wrapped if a stream ended before the response to its request.
var errCut = errors.New("mcphttp: the stream was cut before the response came")

// place is the position up to which a stream was read.
type place struct {
	lastID   string        // of the last event; empty if the server sends none
	retry    time.Duration // requested by the server; negative if it is not
	failures int           // consecutive failures to reconnect
	notes    uint64        // number of notifications of the connection that were read up to the last one of this stream
}

// delay returns how long to wait before reconnecting.
func (p *place) delay() time.Duration {
	const usual, shortest, longest = time.Second, 50 * time.Millisecond, 30 * time.Second
	d := p.retry
	if d < 0 {
		d = usual
	}
	d = max(d, shortest)
	for range p.failures {
		if d < longest {
			d = min(2*d, longest)
		}
	}
	return d
}

// follow reads the stream that answers the request with the id, until the response arrives. A stream that is cut is resumed if possible.
func (c *client) follow(ctx context.Context, cancel func(), body io.ReadCloser, id int64, resumable bool) ([]byte, error) {
	at := &place{retry: -1}
	for {
		reply, err := c.read(ctx, body, at, id, resumable)
		if reply != nil {
			drain(body, cancel)
			return reply, nil
		}
		body.Close()
		if !resumable || at.lastID == "" || !errors.Is(err, errCut) {
			return nil, err
		}
		if body, err = c.resume(ctx, at, c.o.Reconnects); errors.Is(err, ErrSessionOver) { // which would have the call made again
			return nil, fmt.Errorf("%w, and the session has ended; the request may have been executed", errCut)
		} else if err != nil {
			return nil, err
		}
	}
}

// read reads a stream until the response to id arrives. The argument session is true in the handshake era, in which the server may call the client. The
// handlers of messages of the server get the values of ctx, which is the context of the call that the stream belongs to.
func (c *client) read(ctx context.Context, body io.Reader, at *place, id int64, session bool) ([]byte, error) {
	e := web.NewEventReader(body, c.o.Runtime.MaxMessage)
	e.LastID, e.ID, e.Retry = at.lastID, at.lastID, at.retry
	for {
		msg, err := e.Next()
		at.lastID, at.retry = e.LastID, e.Retry
		if err != nil {
			if _, ok := errors.AsType[*frame.TooLargeError](err); ok {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %w", errCut, c.secrets.HideError(err))
		}
		if reply, err := c.receive(ctx, msg, at, id, session); reply != nil || err != nil {
			c.settle(ctx, at.notes)
			return reply, err
		}
	}
}

// resume opens a stream again, after the delay that the server requests, and in at most that many tries.
func (c *client) resume(ctx context.Context, at *place, tries int) (io.ReadCloser, error) {
	for {
		if err := web.Sleep(ctx, at.delay()); err != nil {
			return nil, err
		}
		body, err := c.open(ctx, at)
		if err == nil {
			at.failures = 0
			return body, nil
		}
		if at.failures++; !isTemporary(err) || at.failures >= tries || ctx.Err() != nil {
			return nil, err
		}
	}
}

// isTemporary reports whether a stream that cannot be opened may be opened later: the server is not reached, or not available at present.
func isTemporary(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	return err != nil && (!ok || status.Status/100 == 5 || status.Status == http.StatusTooManyRequests)
}

// open opens the stream to continue at the position at, or the separate stream.
func (c *client) open(ctx context.Context, at *place) (io.ReadCloser, error) {
	header := http.Header{"Accept": streamType}
	if at.lastID != "" {
		header[headerLast] = []string{at.lastID}
	}
	resp, err := c.do(ctx, http.MethodGet, nil, header)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK && web.MediaType(resp) == typeStream {
		return resp.Body, nil
	}
	return nil, c.refusal(resp, true)
}

// patience is how long listen waits for the response of the server: some servers send none before the first event.
const patience = 500 * time.Millisecond

// ear reads the separate stream of a session.
type ear struct {
	session string
	close   context.CancelFunc
}

// listen reads the separate stream, once per session, as long as the server has it; that of a session before, which it may still have, is closed. It returns
// when the server has responded: messages that the server sends before it has the stream would be
// lost. A stream that was open is tried again without end, and the handler learns that its session is over: no call might tell.
func (c *client) listen(ctx context.Context) {
	hearing, end := context.WithCancel(c.ctx)
	c.mu.Lock()
	before, own := c.ear, &ear{c.session, end}
	if before != nil && before.session == own.session {
		c.mu.Unlock()
		end()
		return
	}
	c.ear = own
	c.mu.Unlock()
	if before != nil {
		before.close()
	}
	answered, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	started := c.start(func() {
		at := &place{retry: -1}
		defer end()
		body, err := c.open(hearing, at)
		cancel()
		if isTemporary(err) {
			body, err = c.resume(hearing, at, c.o.Reconnects)
		}
		opened := err == nil
		for err == nil {
			_, err = c.read(hearing, body, at, noID, true)
			body.Close()
			if errors.Is(err, errCut) {
				body, err = c.resume(hearing, at, math.MaxInt)
			}
		}
		c.log.Debug("the separate stream has ended", "error", err)
		c.mu.Lock()
		over := opened && errors.Is(err, ErrSessionOver) && c.session == own.session && c.over != nil
		if c.ear == own {
			c.ear = nil
		}
		c.mu.Unlock()
		if over {
			c.over()
		}
	})
	if !started {
		end()
		return
	}
	<-answered.Done()
}

// noID is the id of no request.
const noID = -1

// receive handles a message from a stream, and returns it if it is the response to id.
func (c *client) receive(ctx context.Context, msg []byte, at *place, id int64, session bool) ([]byte, error) {
	msg = c.clean(msg)
	p := protocol.Peek(msg)
	if p.Method != "" && p.HasID && isResponse(msg) && c.calling(msg) {
		p.Method = "" // or the call would wait for ever
	}
	switch {
	case p.Method != "" && p.HasID && session:
		c.serve(ctx, msg, id)
	case p.Method != "" && p.HasID:
		c.log.Warn("a stateless server sent a request", "method", p.Method)
	case p.Method != "":
		at.notes = c.queue(note{ctx, msg}, p.Method)
	case id != noID && responds(msg, id):
		return msg, nil
	case p.HasID:
		c.deliver(msg)
	default:
		if e := web.ErrorWithoutID(msg); e != nil && id != noID {
			return nil, e
		}
		c.log.Warn("a stream event that is not a message was dropped")
	}
	return nil, nil
}

// note is a notification of the server, with the context of the call that its stream belongs to.
type note struct {
	ctx context.Context
	msg []byte
}

// queue queues a notification, and returns how many were queued before it or with it.
func (c *client) queue(n note, method string) uint64 {
	o := &c.o.Runtime
	item := inorder.Item[note]{Value: n, Method: method, Size: len(n.msg)}
	if c.latest != nil && c.latest(method) {
		item.Text = n.msg
	}
	first, _ := c.notes.Add(c.ctx, item, inorder.Limits{Most: o.MaxNotifications, Held: &c.held, Patience: o.StallTimeout, Log: c.log})
	read := c.notes.Count()
	if first && c.enter() {
		go c.notes.Handle(c.note, c.running.Done)
	}
	return read
}

// note runs the handler of a notification, unless the connection is closed.
func (c *client) note(n note) {
	defer c.held.Give(len(n.msg))
	if c.ctx.Err() == nil {
		c.d.Dispatch(c.inbound(n.ctx), nil, n.msg)
	}
}

// settle waits until the first n notifications are handled, so that what the server sent before a response has taken effect. It does not wait long,
// because the call may have been made by the handler that it waits for: a second, in steps, of which a process that stood still counts one.
func (c *client) settle(ctx context.Context, n uint64) {
	for done, steps := false, 20; !done && steps > 0; steps-- {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		done = c.notes.Wait(ctx, n)
		cancel()
	}
}

// inbound returns the context for a message of the server. It has the values of ctx, and ends with the connection.
func (c *client) inbound(ctx context.Context) context.Context {
	return transport.WithPeer(streamContext{c.ctx, ctx}, c)
}

// streamContext is the context of the connection, with the values of a call.
type streamContext struct {
	context.Context
	call context.Context
}

// Value returns a value of the call.
func (s streamContext) Value(key any) any {
	if v := s.Context.Value(key); v != nil {
		return v
	}
	return s.call.Value(key)
}

// serve serves a call from the server and sends the answer. It came on the stream of the own call with that id, or of none. If too many are in flight,
// it blocks, and nothing more is read.
func (c *client) serve(values context.Context, msg []byte, call int64) {
	select {
	case c.places <- struct{}{}:
	case <-c.ctx.Done():
		return
	}
	id := keyOf(msg)
	ctx, cancel := context.WithCancelCause(c.inbound(values))
	c.served.Set(id, cancel) // before the next message is read, which may cancel it
	started := c.start(func() {
		defer func() { <-c.places }()
		answer := c.d.Dispatch(ctx, nil, msg)
		c.unserve(id, cancel)
		c.answer(answer, call)
	})
	if !started {
		c.unserve(id, cancel)
		<-c.places
	}
}

// unserve ends a call from the server before it is answered. After that its id may be reused.
func (c *client) unserve(id string, cancel context.CancelCauseFunc) {
	cancel(nil)
	c.served.Delete(id)
}

// answer sends the answer to a call from the server, if there is one. If it cannot be sent, the own call fails on whose stream the call came: the server
// would wait for the answer.
func (c *client) answer(msg []byte, call int64) {
	if len(msg) == 0 {
		return
	}
	if err := c.post(c.ctx, msg, 10); err != nil && c.ctx.Err() == nil {
		c.log.Warn("an answer could not be sent", "error", err)
		c.fail(call, err)
	}
}
