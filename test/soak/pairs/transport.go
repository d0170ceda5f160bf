package pairs

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/reconnect"
)

// host serves a handler by sessions.
type host struct {
	*run
	handler runtime.Handler
	options runtime.Options
	ctx     context.Context
	address string // of TCP
	ended   sync.WaitGroup

	mu    sync.Mutex
	lines map[string]io.Closer // the connection of each caller at present, to be cut
}

// newHost serves until ctx ends.
func (r *run) newHost(ctx context.Context, h runtime.Handler, o runtime.Options) (*host, error) {
	t := &host{run: r, handler: h, options: o, ctx: ctx, lines: make(map[string]io.Closer)}
	if r.transport != overTCP {
		return t, nil
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	t.address = l.Addr().String()
	t.ended.Go(func() {
		tcp.Serve(ctx, l, h, tcp.WithOptions(o), tcp.WithAuth(t.auth), tcp.WithGrace(time.Second))
	})
	return t, nil
}

// auth reads the name of the caller, which is the first line of a connection.
func (t *host) auth(ctx context.Context, conn net.Conn) (context.Context, error) {
	var name []byte
	for b := make([]byte, 1); ; name = append(name, b[0]) {
		if _, err := io.ReadFull(conn, b); err != nil {
			return nil, err
		}
		if b[0] == '\n' {
			return t.identified(ctx, string(name)), nil
		}
	}
}

// identified returns the context of a caller, with its principal in scenarios that have them.
func (r *run) identified(ctx context.Context, name string) context.Context {
	if by := r.principalOf(name); by != "" {
		return principal.With(ctx, by)
	}
	return ctx
}

// principalOf returns the principal of a caller.
func (r *run) principalOf(name string) string {
	if r.principals {
		return "principal of " + name
	}
	return ""
}

// token returns the bearer token of a caller.
func token(name string) string { return "token-of-" + name }

// tokens leads from the tokens of all callers to their principals.
func (r *run) tokens() map[string]string {
	ids := make(map[string]string)
	for _, name := range append([]string{"mute", "mallory"}, callerNames...) {
		ids[token(name)] = r.principalOf(name)
	}
	return ids
}

// session connects a caller. The session lasts until ctx ends or it is closed.
func (t *host) session(ctx context.Context, name string, inbound runtime.Handler) (*runtime.Session, error) {
	var near, far frame.Conn
	switch t.transport {
	case overMemory:
		near, far = pipe.New(0)
	case overStdio:
		near, far = Streams()
	case overTCP:
		conn, err := net.Dial("tcp", t.address)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(conn, name+"\n"); err != nil {
			conn.Close()
			return nil, err
		}
		near = tcp.NewConn(conn)
	}
	if far != nil {
		runtime.NewSession(t.identified(t.ctx, name), far, t.handler, t.options)
	}
	t.mu.Lock()
	t.lines[name] = near
	t.mu.Unlock()
	return runtime.NewSession(ctx, frame.Trace(near, t.newTap(name).see), inbound, runtime.Options{Logger: quiet}), nil
}

// cut closes the connection of a caller.
func (t *host) cut(name string) {
	t.mu.Lock()
	line := t.lines[name]
	t.mu.Unlock()
	line.Close()
}

// connect connects a caller, in the way of the scenario.
func (t *host) connect(name string, inbound runtime.Handler) (conn runtime.Conn, leave func(), err error) {
	if !t.reconnect {
		s, err := t.session(t.ctx, name, inbound)
		if err != nil {
			return nil, nil, err
		}
		return s, func() { s.Close(); s.Wait() }, nil
	}
	c, err := reconnect.Dial(t.ctx, func(ctx context.Context) (*runtime.Session, error) { return t.session(ctx, name, inbound) },
		reconnect.Options{MinDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond, MaxWait: deadline, Logger: quiet})
	if err != nil {
		return nil, nil, err
	}
	return c, func() { c.Close() }, nil
}

// Streams returns the two ends of a connection over two pipes, as standard input and output are.
func Streams() (near, far frame.Conn) {
	in, out := io.Pipe()
	back, answers := io.Pipe()
	return both{stdio.NewConn(back, out, frame.Lines, 0), back, out}, both{stdio.NewConn(in, answers, frame.Lines, 0), in, answers}
}

// both is a connection over two pipes that closes both.
type both struct {
	frame.Conn
	in  *io.PipeReader
	out *io.PipeWriter
}

// Close ends both directions.
func (b both) Close() error {
	b.out.Close()
	b.in.Close()
	return b.Conn.Close()
}

// web serves a handler of HTTP on a port of its own until it is closed.
func web(h http.Handler) (url string, leave func(), err error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: deadline}
	go s.Serve(l)
	return "http://" + l.Addr().String(), func() { s.Close() }, nil
}
