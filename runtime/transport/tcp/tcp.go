// Package tcp carries messages over TCP connections, or any others that a [net.Listener] accepts.
package tcp

import (
	"context"
	"net"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Dial connects to address, such as localhost:4000. The handler h serves the calls of the other
// side; a nil h serves none. The end of ctx ends the attempt to connect and, later, the session.
func Dial(ctx context.Context, address string, h runtime.Handler, opts ...Option) (*runtime.Session, error) {
	return connect(ctx, "tcp", address, h, opts)
}

func connect(ctx context.Context, network, address string, h runtime.Handler, opts []Option) (*runtime.Session, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return NewSession(ctx, c, h, opts...), nil
}

// NewSession starts a session on a connection, which belongs to it from then on. H serves the calls that the other side makes; nil serves
// none. When ctx ends, so does the session; its values are those of the handlers' contexts.
func NewSession(ctx context.Context, c net.Conn, h runtime.Handler, opts ...Option) *runtime.Session {
	o := newOptions(opts)
	return runtime.NewSession(ctx, newConn(c, o, nil), h, o.session)
}

// NewConn returns c as a connection of frames, for sessions that are started elsewhere.
func NewConn(c net.Conn, opts ...Option) frame.Conn { return newConn(c, newOptions(opts), nil) }

// ListenAndServe listens on address, such as localhost:4000, and serves h there, see [Serve].
func ListenAndServe(ctx context.Context, address string, h runtime.Handler, opts ...Option) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, l, h, opts...)
}

// Serve serves h on every connection that l accepts, and closes l at the end. When ctx ends, it
// stops accepting connections, waits for the calls in flight for the grace period, closes the
// remaining sessions, and returns the error of ctx.
func Serve(ctx context.Context, l net.Listener, h runtime.Handler, opts ...Option) error {
	s := newServer(h, newOptions(opts))
	stop := context.AfterFunc(ctx, func() { l.Close() })
	err := s.accept(ctx, l)
	stop()
	l.Close()
	s.shutdown()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
