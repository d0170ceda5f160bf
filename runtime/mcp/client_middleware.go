package mcp

import "context"

// ClientHandler sends one request, and waits for the response. The error is what the call is going to return: a [*runtime.Error] when the
// server has answered one. A tool that failed has a result, and no error; see [ClientRequest.ToolFailed].
type ClientHandler func(ctx context.Context, q *ClientRequest) error

// ClientMiddleware stands around every request of a client, rounds of a request that asks something each; not around notifications, and
// not around [Client.Listen]. It may look at the request, change its context, as by [WithMeta], send it again, and return an error of
// its own without calling next.
type ClientMiddleware func(next ClientHandler) ClientHandler

// ClientRequest is one request of a client. It is valid until its handler returns.
type ClientRequest struct {
	client  *Client
	ask     *ask
	answers []byte // members of the params that the round before leaves to this one
	id      int64
	said    *speech
	out     outcome
}

// Method returns the method, such as tools/call.
func (q *ClientRequest) Method() string { return q.ask.method }

// Name returns the name of the tool or prompt, or the URI of the resource, that the request is for; empty for other methods.
func (q *ClientRequest) Name() string { return q.ask.target }

// Revision returns the revision of the protocol that the request speaks.
func (q *ClientRequest) Revision() string { return q.said.revision }

// ID returns the id of the message; zero: it was not sent yet.
func (q *ClientRequest) ID() int64 { return q.id }

// HTTP reports whether the transport is HTTP, as far as that is known: once it has sent a message, it is.
func (q *ClientRequest) HTTP() bool { return q.client.mirrors.Load() }

// ToolFailed reports whether there is a result of a tool that says it is an error.
func (q *ClientRequest) ToolFailed() bool { return q.out.isError }

// chainClient returns h with the middleware around it.
func chainClient(h ClientHandler, all []ClientMiddleware) ClientHandler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}
