package tcp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ended"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory/clients"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// server serves the connections of a listener.
type server struct {
	o       options
	handler runtime.Handler
	refuser *runtime.Dispatcher
	log     *peerlog.Logger
	pending atomic.Int64             // bytes of messages that have arrived partly
	held    clients.Accounts[string] // bytes of messages that are handled or wait, by address

	mu       sync.Mutex
	sessions map[*conn]*runtime.Session
	conns    int
	down     context.Context // of the shutdown; nil before
	each     map[string]int  // number of connections by address
	ended    sync.WaitGroup
	refusing chan struct{} // holds a token for each connection that is being refused
}

func newServer(h runtime.Handler, o options) *server {
	const refusing = 64 // connections; more are closed without an answer
	log := cmp.Or(o.session.Logger, slog.Default())
	s := &server{
		o: o, handler: h, refuser: runtime.NewDispatcher(h, o.session), log: peerlog.For(log),
		sessions: make(map[*conn]*runtime.Session), each: make(map[string]int), refusing: make(chan struct{}, refusing),
	}
	s.held.Init(o.bytes)
	return s
}

// accept accepts connections until l is closed.
func (s *server) accept(ctx context.Context, l net.Listener) error {
	const longest = time.Second
	pause := 5 * time.Millisecond
	for {
		c, err := l.Accept()
		if err == nil {
			pause = 5 * time.Millisecond
			s.take(ctx, c)
			continue
		}
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return err
		}
		select { // for instance out of file descriptors, which is temporary
		case <-time.After(pause):
			pause = min(2*pause, longest)
		case <-ctx.Done():
		}
	}
}

// take serves a connection, or refuses it.
func (s *server) take(ctx context.Context, c net.Conn) {
	from := network(c.RemoteAddr())
	if cond, ok := s.admit(from); !ok {
		s.refuse(c, cond)
		return
	}
	if s.o.auth == nil {
		s.serve(ctx, c, from)
		return
	}
	s.ended.Go(func() { s.authenticate(ctx, c, from) })
}

// authenticate serves a connection that may be served. A panic of the function that authenticates is logged, and closes the connection.
func (s *server) authenticate(ctx context.Context, c net.Conn, from string) {
	returned, served := false, false
	defer func() {
		if !returned {
			s.log.Error("the function that authenticates connections did not return", "panic", peerlog.Value(recover()), "stack", peerlog.Stack(debug.Stack()))
		}
		if !served {
			s.mu.Lock()
			s.leave(from)
			s.mu.Unlock()
			c.Close()
		}
	}()
	within := ctx
	if s.o.first > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, s.o.first)
		defer cancel()
	}
	stop := context.AfterFunc(within, func() { c.SetDeadline(past) })
	known, err := s.o.auth(within, c)
	returned = true
	if !stop() || err != nil || known == nil {
		s.log.Warn("a connection was not authenticated", "error", err)
		return
	}
	served = true
	s.serve(known, c, from)
}

// admit counts a connection. If there are too many, it returns the condition instead.
func (s *server) admit(from string) (cond runtime.Condition, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n := s.each[from]; {
	case s.conns >= s.o.conns:
		return runtime.Condition{Kind: when.Overloaded, Limit: s.o.conns, InFlight: s.conns, Reason: "there are too many connections"}, false
	case from != "" && n >= s.o.each:
		return runtime.Condition{Kind: when.RateLimited, Limit: s.o.each, InFlight: n, Reason: "this address has too many connections"}, false
	}
	s.conns++
	s.each[from]++
	return cond, true
}

// leave undoes admit.
func (s *server) leave(from string) {
	s.conns--
	if s.each[from]--; s.each[from] == 0 {
		delete(s.each, from)
	}
}

// network returns what identifies a client: the address, or its first 64 bits for IPv6. It is empty if there is no address, as for Unix sockets.
func network(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return ""
	}
	if four := tcp.IP.To4(); four != nil {
		return string(four)
	}
	return string(tcp.IP.Mask(net.CIDRMask(64, 128)))
}

// refuse sends the reason why a connection is not served, and closes it.
func (s *server) refuse(c net.Conn, cond runtime.Condition) {
	s.log.Warn("a connection was refused", "reason", cond.Reason)
	select {
	case s.refusing <- struct{}{}:
	default:
		c.Close()
		return
	}
	s.ended.Go(func() {
		answer, _ := s.refuser.Refuse(nil, cond)
		sendLast(c, s.o.framing, answer)
		<-s.refusing
	})
}

// sendLast sends a last message. It reads on for a while, because closing a connection on which data arrives may discard what was sent.
func sendLast(c net.Conn, f frame.Framing, msg []byte) {
	const patience = time.Second
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if f.NewWriter(c, 0).WriteFrame(msg) != nil {
		return
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		var drain [4 << 10]byte
		for n := 0; n < 1<<20; { // bytes; a peer that sends more does not read
			m, err := c.Read(drain[:])
			if n += m; err != nil {
				return
			}
		}
	}
}

// serve starts a session on c. The end of ctx does not end it directly; shutdown does, with a grace period.
func (s *server) serve(ctx context.Context, c net.Conn, from string) {
	framed := newConn(c, s.o, &s.pending)
	if s.o.first > 0 {
		framed.r.first = s.o.first
		framed.r.within(s.o.first)
	}
	ctx = memory.With(context.WithValue(context.WithoutCancel(ctx), contextkey.Remote{}, true), s.held.Enter(from))
	s.ended.Add(1)
	ctx = ended.Notify(ctx, func(err error) {
		defer s.ended.Done()
		s.sessionEnd(framed, from, err)
	})
	own := runtime.NewSession(ctx, framed, s.handler, s.o.session)
	framed.r.session.Store(own)
	s.mu.Lock()
	if !framed.over {
		s.sessions[framed] = own
		if s.down != nil { // since the connection was accepted; calls may be in flight
			s.shut(own)
		}
	}
	s.mu.Unlock()
	if s.o.accepted != nil {
		s.o.accepted(own)
	}
}

// sessionEnd notes that the session of a connection has ended with err.
func (s *server) sessionEnd(c *conn, from string, err error) {
	if _, late := errors.AsType[*TimeoutError](err); late || errors.Is(err, errPending) || errors.Is(err, errHTTP) {
		s.log.Warn("a connection was closed", "reason", err)
	}
	s.mu.Lock()
	c.over = true
	delete(s.sessions, c)
	s.leave(from)
	s.mu.Unlock()
	s.held.Leave(from)
}

// shutdown ends all sessions after the grace period.
func (s *server) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), s.o.grace)
	defer cancel()
	s.mu.Lock()
	s.down = ctx
	for _, session := range s.sessions {
		s.shut(session)
	}
	s.mu.Unlock()
	s.ended.Wait()
}

// shut begins to shut down a session. The caller has the lock.
func (s *server) shut(session *runtime.Session) {
	down := s.down
	s.ended.Go(func() { session.Shutdown(down) })
}
