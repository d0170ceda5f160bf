package mcphttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Call implements [runtime.Conn].
func (c *client) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	if !c.enter() {
		return nil, runtime.ErrClosed
	}
	defer c.running.Done()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	call := c.expect(id, cancel)
	reply, err := c.roundTrip(inner, cancel, id, msg)
	elsewhere, unanswered := c.forget(id, call)
	switch {
	case elsewhere != nil:
		return elsewhere, nil
	case err == nil:
		return reply, nil
	case c.ctx.Err() != nil:
		return nil, runtime.ErrClosed
	case ctx.Err() != nil:
		c.giveUp(ctx, id, msg, ctx.Err())
		return nil, ctx.Err()
	case unanswered != nil:
		err = fmt.Errorf("mcphttp: a question of the server could not be answered: %w", unanswered)
		c.giveUp(ctx, id, msg, errUnanswered)
	}
	return nil, err
}

// roundTrip sends a request and returns the response, from JSON or from a stream.
func (c *client) roundTrip(ctx context.Context, cancel func(), id int64, msg []byte) (reply []byte, err error) {
	begins := !stateless(protocol.HeadersFrom(ctx)) && protocol.Peek(msg).Method == "initialize"
	if begins {
		ctx = context.WithValue(ctx, beginsKey{}, true)
	}
	resp, err := c.do(ctx, http.MethodPost, msg, nil)
	if err != nil {
		return nil, err
	}
	if begins {
		session := resp.Header.Get(headerSession)
		c.enterSession(session)
		defer func() {
			if err != nil && session != "" && c.start(func() { c.deleteSession(session) }) { // or Close ends it
				c.enterSession("")
			}
		}()
	}
	if resp.StatusCode == http.StatusOK && web.MediaType(resp) == typeStream {
		return c.follow(ctx, cancel, resp.Body, id, !stateless(protocol.HeadersFrom(ctx)))
	}
	body, err := c.body(resp)
	switch {
	case err != nil:
		return nil, err
	case responds(body, id):
		return c.clean(body), nil
	case resp.StatusCode/100 == 2:
		return nil, c.noResponse(resp, body)
	}
	return nil, c.failure(resp, body, sentInSession(resp))
}

// noResponse returns the error for a success whose body is not a response to the request, such as a page of a login.
func (c *client) noResponse(resp *http.Response, body []byte) error {
	status := resp.StatusCode
	if len(body) == 0 {
		return fmt.Errorf("mcphttp: the server answered %d %s without a response: the body is empty", status, http.StatusText(status))
	}
	kind := cmp.Or(c.secrets.Hide(web.MediaType(resp)), "a body of no media type")
	begin := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, c.secrets.Excerpt(body))
	return fmt.Errorf("mcphttp: the server answered %d %s without a response: %s that begins with %q", status, http.StatusText(status), kind,
		strings.Join(strings.Fields(begin), " "))
}

// beginsKey marks the context of initialize, which does not belong to the session before it. Until
// it is answered, other messages are sent in that session, and learn that it is over.
type beginsKey struct{}

// sentInSession reports whether the message that resp answers was sent in a session. The client may have begun another one since.
func sentInSession(resp *http.Response) bool { return resp.Request.Header.Get(headerSession) != "" }

// enterSession sets the id of the session that further messages belong to. An empty id means none.
func (c *client) enterSession(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.version = id, ""
}

// inSession reports whether messages with the context ctx belong to a session.
func (c *client) inSession(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session != "" && !stateless(protocol.HeadersFrom(ctx))
}

// Notify implements [runtime.Conn].
func (c *client) Notify(ctx context.Context, msg []byte) error {
	if !c.enter() {
		return runtime.ErrClosed
	}
	defer c.running.Done()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	err := c.post(inner, msg, 5)
	switch {
	case err == nil:
	case c.ctx.Err() != nil:
		return runtime.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return err
	}
	if !stateless(protocol.HeadersFrom(ctx)) && protocol.Peek(msg).Method == "notifications/initialized" {
		c.listen(inner)
	}
	return nil
}

// post sends a message that has no response. It is sent again if the server or a proxy is not available at present, or if the connection was lost: an
// answer to a question would otherwise be lost, and the server wait for it. A server that gets it twice ignores the second one. The time between attempts
// doubles from 200 ms to 5 s: five take at least 3 s, and ten 26 s.
func (c *client) post(ctx context.Context, msg []byte, attempts int) error {
	const shortest, longest = 200 * time.Millisecond, 5 * time.Second
	for wait := shortest; ; wait = min(2*wait, longest) {
		again, err := c.postOnce(ctx, msg)
		if attempts--; again < 0 || attempts <= 0 {
			return err
		}
		if web.Sleep(ctx, min(max(wait, again), longest)) != nil {
			return err
		}
	}
}

// postOnce is post without further attempts. It returns how long to wait at least before another one, which is negative if there is none.
func (c *client) postOnce(ctx context.Context, msg []byte) (again time.Duration, err error) {
	resp, err := c.do(ctx, http.MethodPost, msg, nil)
	if err != nil && c.inSession(ctx) && ctx.Err() == nil {
		return 0, err
	}
	if err != nil {
		return -1, err
	}
	body, err := c.body(resp)
	if resp.StatusCode/100 == 2 {
		return -1, nil // the response has no meaning beyond its status
	}
	if err == nil {
		err = c.failure(resp, body, sentInSession(resp))
	}
	return retryAfter(resp), err
}

// retryAfter returns how long to wait at least before a request is sent again that the server or a proxy could not take. It is negative for any other answer.
func retryAfter(resp *http.Response) time.Duration {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 8)
		return time.Duration(seconds) * time.Second
	}
	return -1
}

var errUnanswered = errors.New("the answer to a question could not be sent")

// giveUp notifies the server of a session that a call was cancelled (2025-11-25, basic/utilities/cancellation). A stateless server notices that the
// connection is closed, and the handshake must not be cancelled. The cause of ctx is not sent, because it may be confidential.
func (c *client) giveUp(ctx context.Context, id int64, msg []byte, reason error) {
	if stateless(protocol.HeadersFrom(ctx)) || protocol.Peek(msg).Method == "initialize" {
		return
	}
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
	b = wire.AppendString(append(b, `,"reason":`...), reason.Error())
	note := append(b, "}}"...)
	c.start(func() {
		ctx, cancel := context.WithTimeout(c.ctx, c.o.CloseTimeout)
		defer cancel()
		if err := c.post(ctx, note, 5); err != nil {
			c.log.Debug("a cancellation could not be sent", "error", err)
		}
	})
}

// body reads the body of a response that is not a stream.
func (c *client) body(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := web.ReadResponse(resp, c.o.Runtime.MaxMessage)
	return body, c.secrets.HideError(err)
}

// drain reads the end of a stream after its last message, so that the connection can be reused. It does not wait for a server that keeps the stream open.
func drain(body io.ReadCloser, cancel func()) {
	const patience, most = 10 * time.Millisecond, 4 << 10
	timer := time.AfterFunc(patience, cancel)
	io.CopyN(io.Discard, body, most)
	timer.Stop()
	body.Close()
}

// responds reports whether a message is the response to the request with the id.
func responds(msg []byte, id int64) bool {
	n, ok := wire.PeekAt(msg).In("id").Int64()
	return ok && n == id && isResponse(msg)
}
