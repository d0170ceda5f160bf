package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// negotiation is the revision of requests, with what depends on it.
type negotiation struct {
	revision string
	meta     string // members of _meta of every request, each preceded by a comma
	taskMeta string // of requests that take tasks
}

// use sets the revision of further requests.
func (c *Client) use(revision string) {
	s := &negotiation{revision: revision}
	if protocol.Of(revision).Era == mcp.Stateless {
		b := wire.AppendString([]byte(`,"`+protocol.MetaVersion+`":`), revision)
		b = append(append(b, `,"`+protocol.MetaClientInfo+`":`...), c.opts.info()...)
		b = append(b, `,"`+protocol.MetaCapabilities+`":`...)
		s.meta, s.taskMeta = string(b)+c.opts.capabilities(mcp.Stateless, false), string(b)+c.opts.capabilities(mcp.Stateless, true)
	}
	c.negotiated.Store(s)
}

// open connects and determines the revision.
func (c *Client) open(ctx context.Context) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	modern, handshakes := c.opts.newest(mcp.Stateless, nil) != "", c.opts.newest(mcp.Handshake, nil) != ""
	switch {
	case c.opts.Era == mcp.Stateless && !modern, c.opts.Era == mcp.Handshake && !handshakes, !modern && !handshakes:
		return errors.New("mcp: the client supports no revision of the era: " + strings.Join(c.opts.Revisions, ", "))
	case c.opts.Era == mcp.Handshake, !modern:
		return c.handshake(ctx)
	case c.opts.Era == mcp.Stateless, !handshakes:
		c.use(c.opts.newest(mcp.Stateless, nil))
		return nil
	}
	return c.probe(ctx)
}

// probe asks the server which revisions it supports. A response that no stateless server would give
// means that the server belongs to the handshake era (basic/transports/stdio and streamable-http,
// Backward Compatibility).
func (c *Client) probe(ctx context.Context) error {
	c.use(c.opts.newest(mcp.Stateless, nil))
	asking, cancel := protocol.WithPatience(ctx, c.opts.ProbeTimeout)
	defer cancel()
	_, err := c.Discover(asking)
	switch {
	case err == nil, errors.As(err, new(*RevisionError)) && c.opts.newest(mcp.Handshake, supportedBy(err)) == "":
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case modernError(err), errors.Is(err, protocol.ErrNotAuthorized):
		return err
	}
	c.log.Debug("the server does not answer as a stateless server", "error", err)
	return c.fallBack(ctx, err)
}

// fallBack makes the handshake after a probe that failed with cause.
func (c *Client) fallBack(ctx context.Context, cause error) error {
	if errors.Is(cause, runtime.ErrClosed) { // the server exited because of the probe
		c.hangUp()
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	err := c.handshake(ctx)
	if err == nil || ctx.Err() != nil || errors.Is(err, protocol.ErrNotAuthorized) {
		return err
	}
	if r := c.opts.newest(mcp.Stateless, supportedBy(err)); r != "" && supportedBy(err) != nil { // it is a stateless server that was slow
		c.use(r)
		_, err = c.Discover(ctx)
		return err
	}
	if _, answered := errors.AsType[*runtime.Error](err); !answered {
		return err
	}
	if errors.Is(cause, context.Canceled) { // it did not answer in time: go-sdk then refuses initialize, since it has begun with server/discover
		c.use(c.opts.newest(mcp.Stateless, nil))
		if _, again := c.Discover(ctx); again == nil {
			return nil
		}
	}
	return fmt.Errorf("mcp: client and server have no era in common: server/discover: %w; initialize: %w", cause, err)
}

// modernError reports whether only a stateless server answers with this error.
func modernError(err error) bool {
	e, ok := errors.AsType[*runtime.Error](err)
	return ok && (e.Code == mcp.CodeHeaderMismatch || e.Code == mcp.CodeMissingCapability)
}

// RevisionError means that client and server have no protocol revision in common.
type RevisionError struct {
	Supported []string // by the server
	Err       error    // error from the server; nil if it did not reject the request
}

func (e *RevisionError) Error() string {
	return "mcp: the server supports none of the client's revisions, only " + cmp.Or(strings.Join(e.Supported, ", "), "others, which it does not name")
}

func (e *RevisionError) Unwrap() error { return e.Err }

// supportedBy returns the supported revisions that an error of the server contains, or nil.
func supportedBy(err error) []string {
	if e, ok := errors.AsType[*RevisionError](err); ok {
		return e.Supported
	}
	e, ok := errors.AsType[*runtime.Error](err)
	if !ok || !e.HasData {
		return nil
	}
	text := wire.PeekAt([]byte(e.Data.String())).In("supported").JSON()
	if text == nil {
		return nil
	}
	supported := []string{}
	if wire.Unmarshal(text, func(r *wire.Reader) { supported = wire.Strings(r, supported) }, nil) != nil {
		return nil
	}
	return supported
}

// handshake makes the handshake (2025-11-25, basic/lifecycle, Initialization).
func (c *Client) handshake(ctx context.Context) error {
	revision := c.opts.newest(mcp.Handshake, nil)
	c.use(revision)
	b := wire.AppendString([]byte(`,"protocolVersion":`), revision)
	b = append(append(b, `,"capabilities":`...), c.opts.capabilities(mcp.Handshake, false)...)
	b = append(append(b, `,"clientInfo":`...), c.opts.info()...)
	out, err := c.do(ctx, &outgoing{method: "initialize", members: b, lasting: true})
	if err != nil {
		return err
	}
	info := out.serverInfo()
	switch {
	case len(info.Revisions) == 0:
		return &runtime.ResponseError{Method: "initialize", What: "it names no protocolVersion"}
	case c.opts.newest(mcp.Handshake, info.Revisions) == "":
		return &RevisionError{Supported: info.Revisions}
	}
	c.use(info.Revisions[0])
	c.server.Store(&info)
	if err := c.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	if l := protocol.Level(c.level.Load()); l != protocol.NoLevel && info.Capabilities.Has("logging") {
		if err := c.SetLevel(ctx, l.String()); err != nil {
			return err
		}
	}
	c.life.enter(c.opts.OnSession, c.Revision())
	return nil
}
