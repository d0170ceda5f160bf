package websocket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ended"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Handler serves JSON-RPC 2.0 over WebSocket. It is safe for concurrent use. Shutdown or Close ends
// its sessions, which an [http.Server] does not know.
type Handler struct {
	o       Options
	h       runtime.Handler
	refuser web.Refuser
	guard   web.Guard
	conns   *web.Quota
	pending atomic.Int64 // bytes of messages that have arrived partly
	held    *web.Memory  // bytes of messages that are handled or wait

	mu       sync.Mutex
	sessions map[*conn]*runtime.Session
	down     context.Context // of Shutdown; nil before
	ended    sync.WaitGroup  // sessions; incremented only before Shutdown
}

// NewHandler returns a handler that starts a session with h on every connection.
func NewHandler(h runtime.Handler, o Options) *Handler {
	o = o.withDefaults()
	log := peerlog.For(o.Runtime.Logger)
	return &Handler{
		o: o, h: h, guard: web.NewGuard(o.AllowedHosts, o.AllowedOrigins), conns: web.NewQuota("connections", o.MaxConns, o.MaxConnsPerClient),
		refuser: web.Refuser{
			Dispatcher: runtime.NewDispatcher(h, o.Runtime), Log: log, WriteTimeout: o.WriteTimeout, OnRefusal: o.OnRefusal,
			Gate: web.NewGate(o.MaxConns, o.MaxConnsPerClient, o.ClientOf, log),
		},
		sessions: make(map[*conn]*runtime.Session), held: web.NewMemory(o.MaxBytes),
	}
}

// ServeHTTP implements [http.Handler]. It returns when the session has started.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.AwaitBody(w, r, web.BodyTime)
	if fault := h.guard.Check(r); fault != "" {
		h.refuser.Refuse(w, http.StatusForbidden, fault)
		return
	}
	ctx, ok := h.refuser.Authenticate(w, r, h.o.Auth)
	if !ok {
		return
	}
	if len(h.o.Subprotocols) > 0 && !h.speaks(r) {
		h.refuser.Refuse(w, http.StatusBadRequest, "the Sec-WebSocket-Protocol has to offer one of "+strings.Join(h.o.Subprotocols, ", "))
		return
	}
	share, cond, ok := h.conns.Take(web.ClientOf(principal.From(ctx), r, h.o.ClientOf).Clone())
	if !ok {
		h.refuser.RefuseFor(w, cond)
		return
	}
	if !h.enter() {
		share.Leave()
		h.refuser.RefuseFor(w, runtime.Condition{Kind: when.Overloaded, Reason: "the server is shutting down", RetryAfter: web.Busy})
		return
	}
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(h.o.WriteTimeout)) // of what Accept writes; Hijack takes it away
	taken := &taking{ResponseWriter: w, o: &h.o}
	ws, err := websocket.Accept(taken, r, &websocket.AcceptOptions{Subprotocols: h.o.Subprotocols, InsecureSkipVerify: true}) // the guard has verified it
	if err != nil {
		h.refuser.Log.Debug("a handshake was refused", "error", err)
		control.Flush()
		control.SetWriteDeadline(time.Time{})
		share.Leave()
		h.ended.Done()
		return
	}
	h.start(context.WithoutCancel(ctx), newConn(ws, taken.wire, h.settings()), share)
}

func (h *Handler) settings() settings {
	o := &h.o
	return settings{o.MaxMessage, o.PingInterval, o.PingTimeout, o.MessageTimeout, &h.pending, o.MaxPending}
}

// speaks reports whether the client offers one of the sub-protocols.
func (h *Handler) speaks(r *http.Request) bool {
	for _, value := range r.Header["Sec-Websocket-Protocol"] {
		for name := range strings.SplitSeq(value, ",") {
			if slices.ContainsFunc(h.o.Subprotocols, func(p string) bool { return strings.EqualFold(p, strings.TrimSpace(name)) }) {
				return true
			}
		}
	}
	return false
}

// enter counts a session. It reports false if no more are accepted.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down != nil {
		return false
	}
	h.ended.Add(1)
	return true
}

// start starts a session on c.
func (h *Handler) start(ctx context.Context, c *conn, share web.Share) {
	client := share.Client()
	ctx = context.WithValue(ctx, contextkey.Remote{}, true) // also if Auth has made a context of its own
	ctx = ended.Notify(memory.With(ctx, h.held.Enter(client)), func(err error) {
		defer h.ended.Done()
		h.log(err)
		h.mu.Lock()
		c.over = true
		delete(h.sessions, c)
		h.mu.Unlock()
		h.held.Leave(client)
		share.Leave()
	})
	s := runtime.NewSession(ctx, c, h.h, h.o.Runtime)
	h.mu.Lock()
	if !c.over {
		h.sessions[c] = s
		if h.down != nil { // Shutdown began after the connection was let in, and did not see it; calls may be in flight
			h.shut(c, s)
		}
	}
	h.mu.Unlock()
	if h.o.Accepted != nil {
		h.o.Accepted(s)
	}
}

// log logs why a connection was closed because of its peer.
func (h *Handler) log(err error) {
	_, late := errors.AsType[*TimeoutError](err)
	if _, refused := errors.AsType[*CloseError](err); late || refused {
		h.refuser.Log.Warn("a connection was closed", "reason", err)
	}
}

// Shutdown stops accepting connections, waits for the calls in flight, and closes all connections
// with the code 1001. If ctx ends first, it cancels the remaining calls and returns the error of
// ctx.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.down = ctx
	for c, s := range h.sessions {
		h.shut(c, s)
	}
	h.mu.Unlock()
	h.ended.Wait()
	return ctx.Err()
}

// shut begins to shut down a session. The caller has the lock.
func (h *Handler) shut(c *conn, s *runtime.Session) {
	c.say(websocket.StatusGoingAway, "the server shuts down")
	go s.Shutdown(h.down)
}

// Close is Shutdown without waiting.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Shutdown(ctx)
	return nil
}

// taking takes the connection over from the HTTP server and adds deadlines.
type taking struct {
	http.ResponseWriter
	o    *Options
	wire *wire
}

// Hijack implements [http.Hijacker].
func (t *taking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered()) // which is there
	t.wire = &wire{Conn: c, write: t.o.WriteTimeout}
	t.wire.in = &frames{ReadWriteCloser: early{io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), c), c}}
	return t.wire, bufio.NewReadWriter(bufio.NewReaderSize(t.wire, read), bufio.NewWriterSize(t.wire, written)), nil
}

// The sizes of buffers, in bytes, which a connection keeps while it is idle: those of the HTTP server have 4096.
const (
	read    = 1 << 10
	written = 2 << 10
)

// early is a connection of which something was read before.
type early struct {
	io.Reader
	io.WriteCloser
}
