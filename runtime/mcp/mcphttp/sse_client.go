package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// DialSSE returns a function that connects a client to the server at a URL by the transport HTTP+SSE of revision 2024-11-05. The function is an
// mcpclient.Dialer. It opens the stream of the session, which is not resumed when it is cut: the session ends then, as does that of a server that answers a
// message with an error.
//
// Servers of later revisions do not need it; see [MaySpeakSSE].
func DialSSE(rawURL string, o ClientOptions) func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		u, err := parseURL(rawURL)
		if err != nil {
			return nil, err
		}
		o = o.withDefaults()
		conn := &sseConn{client: newClient(ctx, u.String(), nil, o)}
		if err := conn.open(ctx, u); err != nil {
			conn.Close()
			return nil, err
		}
		return runtime.NewSession(conn.client.ctx, conn, inbound, o.Runtime), nil
	}
}

// MaySpeakSSE reports whether err is how a server refuses the message of a client that [Dial] connects if it only knows the transport HTTP+SSE: with status
// 400, 404, 405 or 406 (2025-11-25, basic/transports, Backwards Compatibility). Try [DialSSE] then.
func MaySpeakSSE(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return true
	}
	return false
}

// sseConn is a connection of frames: events in, posts out.
type sseConn struct {
	client *client
	body   io.ReadCloser
	events *web.EventReader
	closer sync.Once
}

// firstEvent is how long the server may take to begin the stream and to name the URL for messages.
const firstEvent = 30 * time.Second

// open opens the stream. The attempt ends with ctx, and the stream with the connection.
func (c *sseConn) open(ctx context.Context, base *url.URL) error {
	ctx, cancel := context.WithTimeoutCause(ctx, firstEvent, errors.New("mcphttp: the server did not name the URL for messages in time"))
	defer cancel()
	stop := context.AfterFunc(ctx, c.client.end)
	err := c.begin(base)
	if !stop() {
		return context.Cause(ctx)
	}
	return err
}

func (c *sseConn) begin(base *url.URL) error {
	resp, err := c.client.do(c.client.ctx, http.MethodGet, nil, http.Header{"Accept": streamType})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || web.MediaType(resp) != typeStream {
		return c.client.refusal(resp, false)
	}
	c.body, c.events = resp.Body, web.NewEventReader(resp.Body, c.client.o.Runtime.MaxMessage)
	data, err := c.events.Next()
	if err != nil {
		return fmt.Errorf("mcphttp: the stream ended before it named the URL for messages: %w", c.client.secrets.HideError(err))
	}
	if c.events.Kind != "endpoint" {
		return fmt.Errorf("mcphttp: the stream does not begin with the URL for messages, but with an event of type %q",
			peerlog.Clip(c.client.secrets.Hide(c.events.Kind)))
	}
	u, err := base.Parse(string(data))
	if err != nil || u.Scheme != base.Scheme || u.Host != base.Host {
		return fmt.Errorf("mcphttp: the URL for messages, %s, is not one of the same server", peerlog.Clip(c.client.secrets.Hide(string(data))))
	}
	c.client.url = u.String()
	return nil
}

// ReadFrame returns the next message, see [frame.Conn].
func (c *sseConn) ReadFrame() ([]byte, error) {
	for {
		data, err := c.events.Next()
		switch {
		case c.client.ctx.Err() != nil:
			return nil, frame.ErrClosed
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("mcphttp: the server has ended the stream: %w", frame.ErrClosed)
		case err != nil: // an event over the limit too: the rest of it stands in the stream
			return nil, fmt.Errorf("mcphttp: the stream: %v", c.client.secrets.HideError(err))
		case c.events.Kind == "" || c.events.Kind == "message":
			return c.client.clean(data), nil
		}
		c.client.log.Debug("an event of another type was dropped", "type", c.client.secrets.Hide(c.events.Kind))
	}
}

// WriteFrame posts a message, see [frame.Conn].
func (c *sseConn) WriteFrame(msg []byte) error {
	resp, err := c.client.do(c.client.ctx, http.MethodPost, msg, nil)
	switch {
	case c.client.ctx.Err() != nil:
		return frame.ErrClosed
	case err != nil:
		return err
	case resp.StatusCode/100 == 2:
		web.Discard(resp)
		return nil
	}
	return c.client.refusal(resp, false)
}

// Close ends the stream.
func (c *sseConn) Close() error {
	c.closer.Do(func() {
		c.client.end()
		if c.body != nil {
			c.body.Close()
		}
		c.client.Close()
	})
	return nil
}
