package mcpclient

import "context"

// Handler sends one request, and waits for the response. The error is what the call is going to return: a [*runtime.Error] when the
// server has answered one. A tool that failed has a result, and no error; see [Request.ToolFailed].
type Handler func(ctx context.Context, q *Request) error

// Middleware stands around every request of a client, rounds of a request that asks something each; not around notifications, and
// not around [Client.Listen]. It may look at the request, change its context, as by [WithMeta], send it again, and return an error of
// its own without calling next.
type Middleware func(next Handler) Handler

// Request is one request of a client. It is valid until its handler returns.
type Request struct {
	client  *Client
	ask     *ask
	answers []byte // members of the params that the round before leaves to this one
	id      int64
	said    *speech
	out     outcome
}

// Method returns the method, such as tools/call.
func (q *Request) Method() string { return q.ask.method }

// Name returns the name of the tool or prompt, or the URI of the resource, that the request is for; empty for other methods.
func (q *Request) Name() string { return q.ask.target }

// Revision returns the revision of the protocol that the request speaks.
func (q *Request) Revision() string { return q.said.revision }

// ID returns the id of the message; zero: it was not sent yet.
func (q *Request) ID() int64 { return q.id }

// HTTP reports whether the transport is HTTP, as far as that is known: once it has sent a message, it is.
func (q *Request) HTTP() bool { return q.client.mirrors.Load() }

// ToolFailed reports whether there is a result of a tool that says it is an error.
func (q *Request) ToolFailed() bool { return q.out.isError }

// chainClient returns h with the middleware around it.
func chain(h Handler, all []Middleware) Handler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}
