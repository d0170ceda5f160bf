package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// speech is how requests are made in the revision that is spoken.
type speech struct {
	revision string
	meta     string // members of _meta of every request, each with a comma before it
}

// speak has requests made in a revision.
func (c *Client) speak(revision string) {
	s := &speech{revision: revision}
	if mcp.EraOf(revision) == mcp.Stateless {
		b := wire.AppendString([]byte(`,"`+protocol.MetaVersion+`":`), revision)
		b = append(append(b, `,"`+protocol.MetaClientInfo+`":`...), c.opts.info()...)
		s.meta = string(append(append(b, `,"`+protocol.MetaCapabilities+`":`...), c.opts.capabilities(mcp.Stateless)...))
	}
	c.speaks.Store(s)
}

// newest returns the newest of the revisions of an era that the client speaks and, unless it is nil, the server supports; empty: there is
// none.
func (c *Client) newest(era mcp.Era, supported []string) string {
	for _, r := range slices.Backward(c.opts.Revisions) {
		if mcp.EraOf(r) == era && (supported == nil || slices.Contains(supported, r)) {
			return r
		}
	}
	return ""
}

// open connects, and finds out how the server is spoken to.
func (c *Client) open(ctx context.Context) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	modern, shakes := c.newest(mcp.Stateless, nil) != "", c.newest(mcp.Handshake, nil) != ""
	switch {
	case c.opts.Era == mcp.Stateless && !modern, c.opts.Era == mcp.Handshake && !shakes, !modern && !shakes:
		return errors.New("mcp: the client speaks no revision of the era: " + strings.Join(c.opts.Revisions, ", "))
	case c.opts.Era == mcp.Handshake, !modern:
		return c.shake(ctx)
	case c.opts.Era == mcp.Stateless, !shakes:
		c.speak(c.newest(mcp.Stateless, nil))
		return nil
	}
	return c.probe(ctx)
}

// probe asks the server what it supports. What a stateless server would not answer makes it one of the handshake era (basic/transports/stdio and
// streamable-http, Backward Compatibility).
func (c *Client) probe(ctx context.Context) error {
	c.speak(c.newest(mcp.Stateless, nil))
	asking, cancel := context.WithTimeout(ctx, c.opts.ProbeTimeout)
	defer cancel()
	_, err := c.Discover(asking)
	switch {
	case err == nil, errors.As(err, new(*RevisionError)) && c.newest(mcp.Handshake, supportedBy(err)) == "":
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case modernError(err):
		return err
	}
	c.log.Debug("the server does not answer as a stateless server", "error", err)
	return c.fallBack(ctx, err)
}

// fallBack makes the handshake, after the server has failed to answer as a stateless one because of cause.
func (c *Client) fallBack(ctx context.Context, cause error) error {
	if errors.Is(cause, runtime.ErrClosed) { // it does not endure the question
		c.hangUp()
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	err := c.shake(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if r := c.newest(mcp.Stateless, supportedBy(err)); r != "" && supportedBy(err) != nil { // it was only slow
		c.speak(r)
		_, err = c.Discover(ctx)
		return err
	}
	if _, answered := errors.AsType[*runtime.Error](err); !answered {
		return err
	}
	return fmt.Errorf("mcp: the server speaks no era that the client does: server/discover: %w; initialize: %w", cause, err)
}

// modernError reports whether an error is one that only stateless servers answer.
func modernError(err error) bool {
	e, ok := errors.AsType[*runtime.Error](err)
	return ok && (e.Code == mcp.CodeHeaderMismatch || e.Code == mcp.CodeMissingCapability)
}

// RevisionError says that client and server have no revision of the protocol in common.
type RevisionError struct {
	Supported []string // by the server
	Err       error    // what the server answered; nil: it did not refuse
}

func (e *RevisionError) Error() string {
	return "mcp: the server speaks none of the client's revisions, but " + strings.Join(e.Supported, ", ")
}

func (e *RevisionError) Unwrap() error { return e.Err }

// supportedBy returns the revisions that an error says the server supports; nil: it does not say.
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

// shake makes the handshake (2025-11-25, basic/lifecycle, Initialization).
func (c *Client) shake(ctx context.Context) error {
	revision := c.newest(mcp.Handshake, nil)
	c.speak(revision)
	b := wire.AppendString([]byte(`,"protocolVersion":`), revision)
	b = append(append(b, `,"capabilities":`...), c.opts.capabilities(mcp.Handshake)...)
	b = append(append(b, `,"clientInfo":`...), c.opts.info()...)
	out, err := c.do(ctx, &ask{method: "initialize", members: b, lasting: true})
	if err != nil {
		return err
	}
	info := out.serverInfo()
	if len(info.Revisions) == 0 || c.newest(mcp.Handshake, info.Revisions) == "" {
		return &RevisionError{Supported: info.Revisions}
	}
	c.speak(info.Revisions[0])
	c.remember(info)
	if err := c.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	if l := protocol.Level(c.level.Load()); l != protocol.NoLevel && info.Capabilities.Has("logging") {
		if err := c.SetLevel(ctx, l.String()); err != nil {
			return err
		}
	}
	c.enterSession()
	return nil
}
