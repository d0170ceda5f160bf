package mcpclient

import (
	"context"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// outgoing is a request of the client. It may take several messages: rounds, and a repetition in a
// new session.
type outgoing struct {
	method    string
	target    string // the name or URI that the method refers to; empty if there is none
	members   []byte // members of the params, each preceded by a comma
	arguments []byte // of a tool, within members
	lasting   bool   // it is not cancelled
	tasks     bool   // the client takes a task for its answer, or the request is about one
	token     int64  // that progress of a task has, from its request
}

// title returns a description of the request for errors.
func (q *outgoing) title() string {
	if q.target == "" {
		return q.method
	}
	return q.method + " " + q.target
}

// do makes a request and answers the questions that the server asks before the result
// (basic/patterns/mrtr).
func (c *Client) do(ctx context.Context, q *outgoing) (*outcome, error) {
	var answers []byte // members of the params that the previous round adds
	for range c.opts.MaxRounds + 1 {
		out, err := c.try(ctx, q, answers)
		switch {
		case err != nil:
			return nil, resourceError(q, err)
		case out.kind == "" || out.kind == "complete" || c.Era() == mcp.Handshake:
			return out, nil
		case out.kind == "task" && q.tasks:
			return out, nil
		case out.kind != "input_required":
			return nil, &runtime.ResponseError{Method: q.title(), What: "a result of the unknown type " + protocol.Quote(peerlog.Clip(out.kind))}
		}
		if answers, err = c.opts.nextRound(ctx, q, out); err != nil {
			return nil, err
		}
	}
	return nil, &runtime.ResponseError{Method: q.title(), What: "the server asked too many times"}
}

// try makes one round of a request. It repeats the request once if the session has ended, if the
// server supports another revision, or if it needs headers that were not known.
func (c *Client) try(ctx context.Context, q *outgoing, answers []byte) (*outcome, error) {
	if c.unfinished.Load() && c.renews(ctx, q, ErrSessionOver) {
		if err := c.renew(ctx, nil); err != nil {
			return nil, err
		}
	}
	rev := c.negotiated.Load()
	out, err := c.send(ctx, q, answers)
	if c.renews(ctx, q, err) {
		if err := c.renew(ctx, rev); err != nil {
			return nil, err
		}
		return c.send(ctx, q, answers)
	}
	e, ok := errors.AsType[*runtime.Error](err)
	if !ok || c.Era() == mcp.Handshake {
		return out, err
	}
	switch e.Code {
	case mcp.CodeUnsupportedVersion:
		supported := supportedBy(e)
		revision := c.opts.newest(mcp.Stateless, supported)
		if supported == nil || revision == "" {
			return nil, &RevisionError{supported, err}
		}
		c.use(revision)
	case mcp.CodeHeaderMismatch:
		if q.method != "tools/call" || c.learn(ctx) != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	return c.send(ctx, q, answers)
}

// send sends one message through the middleware and waits for the response.
func (c *Client) send(ctx context.Context, q *outgoing, answers []byte) (*outcome, error) {
	m := &Request{client: c, request: q, answers: answers, rev: c.negotiated.Load()}
	if err := c.handler(ctx, m); err != nil {
		return nil, err
	}
	if m.out.text == nil {
		return nil, errNotSent
	}
	return &m.out, nil
}

var errNotSent = errors.New("mcp: a middleware returned neither a response nor an error")

// transmit is the innermost [Handler].
func (c *Client) transmit(ctx context.Context, m *Request) (err error) {
	q := m.request
	r := gen.NewRequest(c.conn, q.method)
	defer r.Close(&err)
	m.id, m.out = r.ID(), outcome{}
	q.token = m.id
	b := r.Params()
	start := len(b)
	b, forget := c.appendMeta(ctx, b, m.rev.metaOf(q), m.id)
	defer forget()
	b = append(append(b, q.members...), m.answers...)
	if q.tasks && q.method == "tools/call" && protocol.Of(m.rev.revision).Era == mcp.Handshake {
		b = append(b, `,"task":{}`...)
	}
	r.Send(c.mirrorContext(ctx, q, m.rev), wire.CloseObject(b, start))
	var text []byte
	for r.Result(nil) {
		text = r.Reader().Text()
	}
	if err := r.Err(); err != nil {
		c.giveUp(ctx, q, m.id, err)
		return err
	}
	m.out.text = text
	return resultOf(q, text, m.out.scan, nil)
}

// giveUp notifies the server that a call was cancelled because its context ended, or its time was over. The cause is not
// sent, because it may be confidential.
func (c *Client) giveUp(ctx context.Context, q *outgoing, id int64, err error) {
	if q.lasting || err != context.Canceled && err != context.DeadlineExceeded {
		return
	}
	if conn, ok := c.conn.(CallCanceller); ok && conn.CancelsCalls() {
		return
	}
	b := wire.AppendInt([]byte(`,"requestId":`), id)
	b = wire.AppendString(append(b, `,"reason":`...), err.Error())
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
	defer stop()
	if err := c.notify(ctx, "notifications/cancelled", b); err != nil {
		c.log.Debug("the cancellation of a call could not be sent", "error", err)
	}
}

// giveUpTime is how long the notice of a cancelled call may wait for other messages to be written.
const giveUpTime = time.Second

// notify sends a notification. The argument members holds its params, each preceded by a comma.
func (c *Client) notify(ctx context.Context, method string, members []byte) (err error) {
	r := gen.NewNotification(c.conn, method)
	defer r.Close(&err)
	rev := c.negotiated.Load()
	ctx = c.mirrorContext(ctx, &outgoing{method: method}, rev)
	if members == nil {
		r.SendEmpty(ctx)
		return r.Err()
	}
	b := r.Params()
	start := len(b)
	r.Send(ctx, wire.CloseObject(append(b, members...), start))
	return r.Err()
}
