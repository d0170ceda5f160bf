package mcphttp

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Handler serves the Model Context Protocol at one URL, both of its eras: stateless requests as they come, and sessions for clients that
// begin with a handshake. It may be used by many goroutines.
type Handler struct {
	srv        *mcp.Server
	o          Options
	log        *slog.Logger
	peerLog    *peerlog.Logger // of what clients do
	guard      web.Guard
	auth       *authority          // nil: anybody may use the server
	stateless  *runtime.Dispatcher // of messages outside of sessions
	handshakes bool                // there are revisions with sessions

	sessions sessions
	calls    *web.Quota    // messages that are read and served
	streams  *web.Quota    // without a call: of sessions, and subscriptions/listen
	running  atomic.Int64  // requests, and calls of sessions
	closing  atomic.Bool   // no more are accepted
	rest     chan struct{} // holds a token when running may be zero
}

// NewHandler returns a handler that serves srv. It panics when [Options.Auth] is no configuration that could work.
func NewHandler(srv *mcp.Server, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		srv: srv, o: o, log: o.Runtime.Logger, peerLog: peerlog.For(o.Runtime.Logger), guard: web.NewGuard(o.AllowedHosts, o.AllowedOrigins), rest: make(chan struct{}, 1),
		stateless: runtime.NewDispatcher(srv, o.Runtime),
	}
	if o.Auth != nil {
		h.auth = newAuthority(o.Auth)
	}
	served := srv.Info().Revisions
	h.handshakes = len(served) == 0
	for _, revision := range served {
		h.handshakes = h.handshakes || mcp.EraOf(revision) == mcp.Handshake
	}
	h.sessions.init(h)
	h.calls = web.NewQuota("calls", o.MaxCalls, o.MaxCallsPerClient)
	h.streams = web.NewQuota("streams", o.MaxStreams, o.MaxStreamsPerClient)
	return h
}

// Names of headers, as net/http writes them.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerLast    = "Last-Event-Id"
)

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.auth != nil && strings.HasPrefix(r.URL.Path, wellKnown) {
		h.auth.serveMetadata(w, r, h.o.WriteTimeout)
		return
	}
	if fault := h.guard.Check(r); fault != "" {
		h.refuse(w, refusal{status: http.StatusForbidden, text: fault})
		return
	}
	if name := twice(r.Header); name != "" {
		h.refuse(w, refusal{status: http.StatusBadRequest, text: "the header " + name + " occurs more than once"})
		return
	}
	if !h.enter() {
		cond := runtime.Condition{Kind: when.Overloaded, Reason: "the server is shutting down", RetryAfter: web.Busy}
		h.refuse(w, refusal{status: http.StatusServiceUnavailable, condition: cond})
		return
	}
	defer h.leave()
	ctx, ok := h.authenticate(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(ctx, w, r)
	case http.MethodGet:
		h.get(ctx, w, r)
	case http.MethodDelete:
		h.delete(ctx, w, r)
	default:
		h.notAllowed(w, h.allowed())
	}
}

// twice returns a header that has one value, but came with more: who looks at another one of them than this server would be deceived.
// Empty: there is none.
func twice(h http.Header) string {
	for _, name := range [...]string{"Content-Type", headerSession, headerVersion, headerLast} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

// allowed returns the methods that there are, for the header Allow.
func (h *Handler) allowed() string {
	if h.handshakes {
		return "GET, POST, DELETE"
	}
	return "POST"
}

// enter counts something that Shutdown waits for. False: no more is accepted.
func (h *Handler) enter() bool {
	h.running.Add(1)
	if h.closing.Load() {
		h.leave()
		return false
	}
	return true
}

// leave is the end of what enter began.
func (h *Handler) leave() {
	if h.running.Add(-1) == 0 && h.closing.Load() {
		select {
		case h.rest <- struct{}{}:
		default:
		}
	}
}

// Shutdown accepts no more requests, shuts down the server that is served, and waits for the requests in flight; streams beside them
// are closed. When ctx ends first, sessions are closed with what they have in flight, and ctx's error is returned; stateless
// requests are cancelled when their connections are closed, as by [http.Server.Close].
func (h *Handler) Shutdown(ctx context.Context) error {
	h.closing.Store(true)
	h.sessions.quiet()
	err := h.srv.Shutdown(ctx)
	for h.running.Load() > 0 && err == nil {
		select {
		case <-h.rest:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.sessions.close()
	return err
}

// Close is Shutdown without patience.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Shutdown(ctx)
	return nil
}
