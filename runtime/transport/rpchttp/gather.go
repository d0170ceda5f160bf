package rpchttp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The limits of gathering; see [ClientOptions.Gather].
const (
	gatherPosts = 2        // POSTs of gathered methods under way from which calls wait for each other
	gatherCalls = 16       // calls in one POST: as many as a server handles concurrently by default
	gatherBytes = 64 << 10 // bytes of a POST with several calls
)

// gatherer sends calls that wait for others to return in one POST.
type gatherer struct {
	conn *Conn

	mu      sync.Mutex
	posts   int    // under way
	next    *group // waits until few POSTs are under way; nil if no call waits. Then posts is not 0.
	refused bool   // the server takes no batches
}

// group is the calls of one POST.
type group struct {
	token string // of all its calls
	calls []*waitingCall
	size  int // of the message in bytes
	left  int // calls that were given up after the group was sent
	ctx   context.Context
	end   context.CancelFunc
}

// waitingCall is a call that waits in a group.
type waitingCall struct {
	id     int64
	msg    []byte // of the caller; it is not used after the group was sent
	done   chan struct{}
	answer []byte // set when done is closed
	err    error
}

var (
	// errRefused means that the server does not take the batch of a group: none of its calls was handled.
	errRefused = errors.New("rpchttp: the server refuses batches")

	// errLeftOut means that the answer to a batch has no response to a call.
	errLeftOut = errors.New("rpchttp: a call was left out")
)

// methodOf returns the method of a call if it may share a POST.
func (g *gatherer) methodOf(msg []byte) (method string, ok bool) {
	if len(msg) > min(gatherBytes, g.conn.o.MaxMessage)-len("[]") {
		return "", false
	}
	method, ok = wire.PeekAt(msg).In("method").Text()
	return method, ok && g.conn.o.Gather(method)
}

// call sends a call: at once and by itself while few POSTs are under way, else together with others.
func (g *gatherer) call(ctx context.Context, id int64, method string, msg []byte) ([]byte, error) {
	if g.free() {
		defer g.endPost()
		return g.conn.callAlone(ctx, id, msg)
	}
	inner := ctx
	if g.conn.o.CallTimeout > 0 {
		var cancel context.CancelFunc
		inner, cancel = within(ctx, g.conn.o.CallTimeout)
		defer cancel()
	}
	token, err := g.conn.token(inner)
	if err != nil {
		return nil, g.conn.callError(ctx, inner, err)
	}
	c := &waitingCall{id: id, msg: msg, done: make(chan struct{})}
	in := g.join(c, token)
	if in == nil {
		defer g.endPost()
		return g.conn.callAlone(ctx, id, msg)
	}
	select {
	case <-c.done:
	case <-inner.Done():
		g.leave(c, in)
		return nil, g.conn.callError(ctx, inner, inner.Err())
	}
	switch c.err {
	case errRefused:
		return g.conn.callAlone(ctx, id, msg)
	case errLeftOut:
		return nil, &runtime.ResponseError{Method: strings.Clone(method), What: "it was left out of the batch of gathered calls"}
	}
	return c.answer, c.err
}

// free reports whether a call is to be sent by itself, and counts its POST.
func (g *gatherer) free() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.posts >= gatherPosts && !g.refused {
		return false
	}
	g.posts++
	return true
}

// join adds a call to the group that waits. It returns nil, and counts the POST, if few POSTs are under way by now, so that the call
// is to be sent by itself. A group leaves at once when it is full, and when it cannot take the call: because it has another token or
// no room. So a call never waits for a POST that is begun after it has joined.
func (g *gatherer) join(c *waitingCall, token string) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.posts < gatherPosts || g.refused {
		g.posts++
		return nil
	}
	size := len(c.msg) + len(",")
	if g.next != nil && (g.next.token != token || g.next.size+size > min(gatherBytes, g.conn.o.MaxMessage)) {
		g.depart()
	}
	if g.next == nil {
		g.next = &group{token: token, size: len("]")}
		g.next.ctx, g.next.end = context.WithCancel(g.conn.ctx)
	}
	in := g.next
	in.calls = append(in.calls, c)
	in.size += size
	if len(in.calls) == gatherCalls {
		g.depart()
	}
	return in
}

// leave takes a call out of its group. The POST is cancelled when no call waits for it any more.
func (g *gatherer) leave(c *waitingCall, in *group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != in {
		if in.left++; in.left == len(in.calls) {
			in.end()
		}
		return
	}
	in.size -= len(c.msg) + len(",")
	in.calls = slices.DeleteFunc(in.calls, func(other *waitingCall) bool { return other == c })
	if len(in.calls) == 0 {
		g.next = nil
		in.end()
	}
}

// endPost notes that a POST has returned. The group that waits takes its place unless enough others are under way.
func (g *gatherer) endPost() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.posts--
	if g.posts < gatherPosts && g.next != nil {
		g.depart()
	}
}

// depart sends the group that waits and counts its POST. The gatherer is locked, so a call that is given up later finds that its
// message is not used any more.
func (g *gatherer) depart() {
	in := g.next
	g.next = nil
	g.posts++
	msg := make([]byte, 0, in.size)
	for _, c := range in.calls {
		msg = append(append(msg, ','), c.msg...)
		c.msg = nil
	}
	if len(in.calls) == 1 {
		msg = msg[len(","):]
	} else {
		msg[0] = '['
		msg = append(msg, ']')
	}
	go g.send(in, msg)
}

// send sends the message of a group and gives each call its answer.
func (g *gatherer) send(in *group, msg []byte) {
	defer g.endPost()
	a, err := g.conn.exchange(in.ctx, msg, in.token, nil)
	switch {
	case g.conn.ctx.Err() != nil:
		err = runtime.ErrClosed
	case err == nil && len(in.calls) > 1 && a.refusesBatch():
		g.refuse(a)
		err = errRefused
	case err == nil:
		a.settle(in.calls)
	}
	in.finish(err)
}

// refuse ends gathering, because the server has answered a batch with a refusal of all of it. The calls that wait are sent one by one.
func (g *gatherer) refuse(a *answer) {
	g.mu.Lock()
	first, waiting := !g.refused, g.next
	g.refused, g.next = true, nil
	g.mu.Unlock()
	if waiting != nil {
		waiting.finish(errRefused)
	}
	if !first {
		return
	}
	log := cmp.Or(g.conn.o.Logger, slog.Default())
	log.Warn("the server refuses batches; from now on each call is a POST of its own", "error", a.failure())
}

// finish wakes the calls of a group. If err is not nil, it is the error of all of them.
func (in *group) finish(err error) {
	in.end()
	for _, c := range in.calls {
		if err != nil {
			c.err = err
		}
		close(c.done)
	}
}

// settle gives each call of a batch its answer.
func (a *answer) settle(calls []*waitingCall) {
	if len(calls) == 1 {
		calls[0].answer, calls[0].err = a.response(calls[0].id)
		return
	}
	all, err := a.all(len(calls), func(id int64) int {
		return slices.IndexFunc(calls, func(c *waitingCall) bool { return c.id == id })
	})
	for i, c := range calls {
		switch {
		case err != nil:
			c.err = err
		case all[i] == nil:
			c.err = errLeftOut
		default:
			c.answer = slices.Clone(all[i]) // which the caller may change and keep
		}
	}
}

// refusesBatch reports whether the server took a batch for an invalid message, so that no call of it was handled.
func (a *answer) refusesBatch() bool {
	switch a.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	case http.StatusOK:
		return wire.Check(a.body, wire.MaxDepth) == nil && isError(wire.PeekAt(a.body))
	}
	return false
}
