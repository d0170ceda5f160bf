package mcpclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Changes selects the notifications for [Options.OnListChanged] and [Options.OnResourceUpdated].
type Changes struct {
	Tools, Prompts, Resources bool     // of the lists
	URIs                      []string // of resources
}

// Subscription is a subscription that [Client.Listen] has made.
type Subscription struct {
	// Agreed holds the notifications that the server sends.
	Agreed Changes

	client *Client
	cancel context.CancelFunc
	acked  chan Changes  // receives one value, when the server has acknowledged
	done   chan struct{} // closed at the end
	once   sync.Once
	err    error
}

// Done returns a channel that is closed when the subscription has ended.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err returns why the subscription has ended, once Done is closed. It is nil if the client or the server has ended it.
func (s *Subscription) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// end ends the subscription.
func (s *Subscription) end(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.done)
	})
}

// Listen subscribes to notifications of changes, and returns when the server has acknowledged the subscription (basic/patterns/subscriptions; up to
// 2025-11-25 server/resources, Subscriptions). It lasts until [Subscription.Close]. A server of the handshake era sends changes of its lists in any case. If
// the connection is lost, the subscription ends, and changes during that time are lost. If only the session is lost, it is begun anew, and all that is
// subscribed to counts as changed.
func (c *Client) Listen(ctx context.Context, wanted Changes) (*Subscription, error) {
	s := &Subscription{client: c, acked: make(chan Changes, 1), done: make(chan struct{})}
	if c.Era() == mcp.Handshake {
		if err := s.watch(ctx, wanted); err != nil {
			return nil, err
		}
		return s, nil
	}
	listening, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(c.life.ctx, cancel)
	s.cancel = func() {
		unhook()
		cancel()
	}
	if !c.life.start(func() { s.run(listening, wanted) }) {
		s.cancel()
		return nil, runtime.ErrClosed
	}
	select {
	case s.Agreed = <-s.acked:
		return s, nil
	case <-s.done:
		select {
		case s.Agreed = <-s.acked:
			return s, nil // it has ended since
		default:
		}
		if s.err == nil {
			return nil, &runtime.ResponseError{Method: "subscriptions/listen", What: "it ended before it was acknowledged"}
		}
		return nil, s.err
	case <-ctx.Done():
		s.cancel()
		<-s.done
		return nil, ctx.Err()
	}
}

// run subscribes to a stateless server and waits until the subscription ends.
func (s *Subscription) run(ctx context.Context, wanted Changes) {
	defer s.cancel()
	err := s.listen(ctx, wanted)
	if ctx.Err() != nil {
		err = nil // closed by the client, or cancelled by the server
	}
	s.end(err)
}

// listen sends the request and waits for the response.
func (s *Subscription) listen(ctx context.Context, wanted Changes) (err error) {
	c := s.client
	r := gen.NewRequest(c.conn, "subscriptions/listen")
	defer r.Close(&err)
	rev, id := c.negotiated.Load(), r.ID()
	c.subscriptions.listens.Set(id, s)
	defer c.subscriptions.listens.Delete(id)
	q := &outgoing{method: "subscriptions/listen"}
	b := append(r.Params(), `{"_meta":`...)
	start := len(b)
	b = wire.CloseObject(append(b, rev.meta...), start)
	filter := protocol.Filter{Lists: protocol.Lists{Tools: wanted.Tools, Prompts: wanted.Prompts, Resources: wanted.Resources}, URIs: wanted.URIs}
	b = filter.AppendJSON(append(b, `,"notifications":`...))
	r.Send(c.mirrorContext(ctx, q, rev), append(b, '}'))
	r.NoResult(nil)
	c.giveUp(ctx, q, id, r.Err())
	return r.Err()
}

// closePatience is how long a server may take to answer that clients of the handshake era unsubscribe.
const closePatience = 10 * time.Second

// Close ends the subscription. No notification is passed on after it. In the handshake era it asks the server to end what it sends about resources, waits at
// most 10 seconds for the answers, and returns an error if the server refuses or does not answer.
func (s *Subscription) Close() error {
	s.cancel()
	c := s.client
	if !c.subscriptions.unwatch(s) {
		<-s.done
		return nil
	}
	s.end(nil)
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	var all []error
	for _, uri := range s.Agreed.URIs {
		all = append(all, c.subscribe(ctx, uri, false))
	}
	return errors.Join(all...)
}
