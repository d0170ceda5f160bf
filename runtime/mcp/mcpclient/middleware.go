package mcpclient

import "context"

// Handler sends one request and waits for the response. Its error becomes the error of the call: a
// [*runtime.Error] if the server answered with an error. A tool that failed has a result and no
// error, see [Request.ToolFailed].
type Handler func(ctx context.Context, q *Request) error

// Middleware wraps every request of a client, and each round of a request with questions. It does
// not wrap notifications and [Client.Listen]. It may inspect the request, change its context, for
// instance with [WithMeta], send it again, and return an error without calling next.
type Middleware func(next Handler) Handler

// Request is one request of a client. It is valid until its handler returns.
type Request struct {
	client  *Client
	request *outgoing
	answers []byte // members of the params that the previous round adds
	id      int64
	rev     *negotiation
	out     outcome
}

// Method returns the method, such as tools/call.
func (q *Request) Method() string { return q.request.method }

// Name returns the name of the tool or prompt, or the URI of the resource. It is empty for other
// methods.
func (q *Request) Name() string { return q.request.target }

// Revision returns the protocol revision of the request.
func (q *Request) Revision() string { return q.rev.revision }

// ID returns the id of the message. It is 0 until the message is sent.
func (q *Request) ID() int64 { return q.id }

// HTTP reports whether the transport is HTTP. That is known once it has sent a message.
func (q *Request) HTTP() bool { return q.client.mirrors.Load() }

// ToolFailed reports whether there is a tool result with isError.
func (q *Request) ToolFailed() bool { return q.out.isError }
