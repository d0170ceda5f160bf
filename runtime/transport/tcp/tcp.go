// Package tcp carries messages over TCP connections, or any other that a [net.Listener] accepts.
package tcp

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Option is a choice for [Serve], [ListenAndServe] or [Dial].
type Option func(*options)

type options struct {
	session  runtime.Options
	framing  frame.Framing
	max      int
	conns    int
	grace    time.Duration
	write    time.Duration
	accepted func(*runtime.Session)
}

func newOptions(opts []Option) options {
	o := options{conns: 1024, grace: 5 * time.Second, write: 30 * time.Second}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithOptions sets the limits and habits of every session.
func WithOptions(o runtime.Options) Option { return func(all *options) { all.session = o } }

// WithFraming sets how messages are put on the stream. The default is [frame.Lines].
func WithFraming(f frame.Framing) Option { return func(all *options) { all.framing = f } }

// WithMaxFrame sets the size limit of one message in bytes, both ways. Zero means [frame.DefaultMax], 10 MiB.
func WithMaxFrame(max int) Option { return func(all *options) { all.max = max } }

// WithMaxConns sets how many connections are served at the same time; more wait to be accepted. Zero means 1024.
func WithMaxConns(n int) Option {
	return func(all *options) {
		if n > 0 {
			all.conns = n
		}
	}
}

// WithGrace sets how long the calls in flight may take when serving ends. Zero means 5 seconds.
func WithGrace(d time.Duration) Option {
	return func(all *options) {
		if d > 0 {
			all.grace = d
		}
	}
}

// WithWriteTimeout sets how long writing one message may take before the connection is given up. Zero means 30 seconds.
func WithWriteTimeout(d time.Duration) Option {
	return func(all *options) {
		if d > 0 {
			all.write = d
		}
	}
}

// WithSession has f called with every session that [Serve] starts, before the next connection is accepted.
func WithSession(f func(*runtime.Session)) Option { return func(all *options) { all.accepted = f } }

// Dial connects to address, such as localhost:4000. H serves the calls that the other side makes; nil serves none. Ctx ends
// connecting and, later, the session.
func Dial(ctx context.Context, address string, h runtime.Handler, opts ...Option) (*runtime.Session, error) {
	o := newOptions(opts)
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return runtime.NewSession(ctx, newConn(c, o), h, o.session), nil
}

// ListenAndServe listens on address, such as localhost:4000, and serves h there; see [Serve].
func ListenAndServe(ctx context.Context, address string, h runtime.Handler, opts ...Option) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, l, h, opts...)
}

// Serve serves h on every connection that l accepts, and closes l at the end. When ctx ends, it accepts no more, lets the calls
// in flight end within the grace period, cuts what is left, and returns ctx's error.
func Serve(ctx context.Context, l net.Listener, h runtime.Handler, opts ...Option) error {
	s := &server{o: newOptions(opts), handler: h}
	s.places = make(chan struct{}, s.o.conns)
	s.sessions = make(map[*runtime.Session]struct{})
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

type server struct {
	o        options
	handler  runtime.Handler
	places   chan struct{} // holds one token for each connection
	mu       sync.Mutex
	sessions map[*runtime.Session]struct{}
	ended    sync.WaitGroup
}

// accept accepts connections until l is closed.
func (s *server) accept(ctx context.Context, l net.Listener) error {
	const longest = time.Second
	pause := 5 * time.Millisecond
	for {
		select {
		case s.places <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		c, err := l.Accept()
		if err == nil {
			pause = 5 * time.Millisecond
			s.serve(ctx, c)
			continue
		}
		<-s.places
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return err
		}
		select { // out of file descriptors, perhaps: that passes
		case <-time.After(pause):
			pause = min(2*pause, longest)
		case <-ctx.Done():
		}
	}
}

// serve starts a session on c. Ctx's end does not end it: shutdown does, with grace.
func (s *server) serve(ctx context.Context, c net.Conn) {
	session := runtime.NewSession(context.WithoutCancel(ctx), newConn(c, s.o), s.handler, s.o.session)
	s.mu.Lock()
	s.sessions[session] = struct{}{}
	s.mu.Unlock()
	if s.o.accepted != nil {
		s.o.accepted(session)
	}
	s.ended.Go(func() {
		session.Wait()
		s.mu.Lock()
		delete(s.sessions, session)
		s.mu.Unlock()
		<-s.places
	})
}

// shutdown ends all sessions, with grace.
func (s *server) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), s.o.grace)
	defer cancel()
	s.mu.Lock()
	for session := range s.sessions {
		s.ended.Go(func() { session.Shutdown(ctx) })
	}
	s.mu.Unlock()
	s.ended.Wait()
}

// newConn returns c as a connection of frames.
func newConn(c net.Conn, o options) frame.Conn {
	r := o.framing.NewReader(reader{c}, o.max)
	w := o.framing.NewWriter(writer{c, o.write}, o.max)
	return frame.NewConn(r, w, c.Close)
}

// reader tells the ends of a connection apart.
type reader struct{ net.Conn }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	switch {
	case err == nil:
	case err == io.EOF:
		err = frame.ErrHangup
	case errors.Is(err, net.ErrClosed):
		err = frame.ErrClosed
	}
	return n, err
}

// writer gives up on a peer that does not read.
type writer struct {
	net.Conn
	timeout time.Duration
}

func (w writer) Write(p []byte) (int, error) {
	w.SetWriteDeadline(time.Now().Add(w.timeout))
	return w.Conn.Write(p)
}
