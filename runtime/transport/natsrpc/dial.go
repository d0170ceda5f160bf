package natsrpc

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Conn is a connection to the servers of a subject. It implements [runtime.Conn] and is safe for concurrent use.
type Conn struct {
	*conn
	subs   []*nats.Subscription // of what servers send; empty without a handler
	worker *worker              // nil without a handler
}

// Dial returns a connection that calls the servers of a subject. Nothing is sent before the first call, and nc stays the caller's. The handler h
// serves the calls of servers, see [runtime.PeerFrom]; a nil h serves none. Notifications of servers are handled one after the
// other, and requests concurrently. The caller must call Close.
func Dial(nc *nats.Conn, subject string, h runtime.Handler, o ClientOptions) (*Conn, error) {
	if err := checkSubject("a subject", subject); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	own, err := newCaller(nc, o)
	if err != nil {
		return nil, err
	}
	c := &Conn{conn: &conn{own, serviceTarget(subject)}}
	if h == nil {
		return c, nil
	}
	if err := c.listen(h); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// listen serves the calls of servers with h.
func (c *Conn) listen(h runtime.Handler) error {
	nc, o, at := c.caller.nc, c.caller.o, clientTarget(c.caller.inbox)
	c.caller.header = nats.Header{peerHeader: {c.caller.inbox}}
	c.worker = newWorker(context.Background(), nc, h, Options{Runtime: o.Runtime, MaxMessage: o.MaxMessage, MaxCalls: o.MaxCalls, interval: o.interval}, c.caller)
	for subject, take := range map[string]nats.MsgHandler{at.calls: c.worker.take, at.notes: c.worker.serve, at.cancel: c.worker.abandon} {
		sub, err := nc.Subscribe(subject, take)
		if err != nil {
			return connError(err)
		}
		c.subs = append(c.subs, sub)
	}
	return nil
}

// Close makes the calls in flight fail with [runtime.ErrClosed], and cancels the calls of servers. It does not wait for their handlers.
// It does not close the connection to NATS.
func (c *Conn) Close() error {
	var errs []error
	for _, sub := range c.subs {
		errs = append(errs, realError(sub.Unsubscribe()))
	}
	if c.worker != nil {
		c.worker.cancel(runtime.ErrClosed)
	}
	c.caller.close()
	if c.worker != nil {
		flush(c.caller.nc) // from here on, calls of this client have no responders
	}
	return errors.Join(errs...)
}

// realError returns err, or nil if it only says that a subscription or its connection has ended before.
func realError(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrBadSubscription) {
		return nil
	}
	return err
}
