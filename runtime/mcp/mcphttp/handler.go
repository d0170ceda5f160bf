package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Handler serves the Model Context Protocol at one URL in both eras: stateless requests, and
// sessions for clients that begin with a handshake. It is safe for concurrent use.
type Handler struct {
	srv        *mcp.Server
	o          Options
	log        *slog.Logger
	peerLog    *peerlog.Logger // logs what clients cause
	guard      web.Guard
	auth       *authority          // nil if no token is required
	gate       *web.Gate           // where tokens are verified
	stateless  *runtime.Dispatcher // serves messages outside of sessions
	handshakes bool                // the server has revisions with sessions

	sessions sessions
	sse      sseSessions
	memory   *web.Memory // of messages that are read and served
	events   web.EventLimits
	place    replicas.Place // among the replicas; nil if there are no others
	joining  error          // why the others could not be joined; nil if they were
	calls    *web.Quota     // messages that are read and served
	streams  *web.Quota     // that belong to no call: of sessions, and subscriptions/listen
	running  atomic.Int64   // requests, and calls of sessions
	closing  atomic.Bool    // no more are accepted
	rest     chan struct{}  // holds a token when running may be 0
}

// NewHandler returns a handler that serves srv. It panics if [Options.Auth] is an invalid configuration, and if there are [Options.Replicas] and srv has no
// mcp.Options.StateKeys, which all replicas need. Replicas that cannot be joined are reported by [Handler.Ready].
func NewHandler(srv *mcp.Server, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		srv: srv, o: o, log: o.Runtime.Logger, peerLog: peerlog.For(o.Runtime.Logger), guard: web.NewGuard(o.AllowedHosts,
			o.AllowedOrigins), rest: make(chan struct{}, 1),
		stateless: runtime.NewDispatcher(srv, o.Runtime),
	}
	if o.Auth != nil {
		h.auth = newAuthority(o.Auth)
	}
	h.handshakes = slices.ContainsFunc(srv.Revisions(), func(r string) bool { return protocol.Of(r).Era == mcp.Handshake })
	h.guard.Sharing = web.Sharing{
		Methods: h.allowHeader(), Exposed: headerSession + ", WWW-Authenticate, Retry-After",
		Headers: []string{"Content-Type", "Authorization", headerLast}, Prefix: "mcp-",
	}
	h.sessions.init(h)
	h.gate = web.NewGate(o.MaxCalls, o.MaxCallsPerClient, o.ClientOf, h.peerLog)
	h.memory = web.NewMemory(o.MaxBytes)
	h.events = web.EventLimits{WriteTimeout: o.WriteTimeout, KeepAlive: o.KeepAlive, Memory: h.memory, Log: h.peerLog}
	h.calls = web.NewQuota("calls", o.MaxCalls, o.MaxCallsPerClient).Limit(h.memory)
	h.streams = web.NewQuota("streams", o.MaxStreams, o.MaxStreamsPerClient).Limit(h.memory)
	if o.Replicas != nil {
		h.join(o.Replicas)
	}
	return h
}

// Ready returns nil if the handler serves requests and sessions, and otherwise why not: it shuts down, or the other replicas cannot be reached. It is for
// checks of readiness. Stateless requests are served all the same.
func (h *Handler) Ready() error {
	switch {
	case h.closing.Load():
		return errClosing
	case h.place != nil:
		return h.place.Ready()
	}
	return h.joining
}

var errClosing = errors.New("mcphttp: the server is shutting down")

// The names of headers in the canonical form of net/http.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerLast    = "Last-Event-Id"
)

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.AwaitBody(w, r, h.o.BodyTimeout)
	if h.auth != nil && h.auth.path != "" && strings.HasPrefix(r.URL.Path, wellKnown) {
		h.auth.serveMetadata(w, r, h.o.WriteTimeout)
		return
	}
	if fault := h.guard.Check(r); fault != "" {
		h.refuse(w, refusal{status: http.StatusForbidden, text: fault})
		return
	}
	if h.guard.Share(w, r) {
		web.WriteBody(w, h.o.WriteTimeout, http.StatusNoContent, nil)
		return
	}
	if name := twice(r.Header); name != "" {
		h.refuse(w, refusal{status: http.StatusBadRequest, text: "the header " + name + " occurs more than once"})
		return
	}
	if !h.postsSSE(r) { // a session that is shut down still needs the answers to its questions
		if !h.enter() {
			cond := runtime.Condition{Kind: when.Overloaded, Reason: "the server is shutting down", RetryAfter: web.Busy}
			h.refuse(w, refusal{status: http.StatusServiceUnavailable, condition: cond})
			return
		}
		defer h.leave()
	}
	ctx, ok := h.authenticate(w, r)
	if !ok {
		return
	}
	h.route(ctx, w, r)
}

// route serves an authenticated request.
func (h *Handler) route(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(ctx, w, r)
	case http.MethodGet:
		h.get(ctx, w, r)
	case http.MethodDelete:
		h.delete(ctx, w, r)
	default:
		h.notAllowed(w, h.allowHeader())
	}
}

// twice returns the name of a header that must have one value but has several, or "". An
// intermediary that reads another one of them than this server would be deceived.
func twice(h http.Header) string {
	for _, name := range [...]string{"Content-Type", headerSession, headerVersion, headerLast} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

// allowHeader returns the value of the header Allow.
func (h *Handler) allowHeader() string {
	if h.handshakes {
		return "GET, POST, DELETE"
	}
	return "POST"
}

// enter counts something that Shutdown waits for. It reports false after Shutdown has begun.
func (h *Handler) enter() bool {
	h.running.Add(1)
	if h.closing.Load() {
		h.leave()
		return false
	}
	return true
}

// leave undoes enter.
func (h *Handler) leave() {
	if h.running.Add(-1) == 0 && h.closing.Load() {
		wake.Up(h.rest)
	}
}

// Shutdown stops accepting requests, shuts down the MCP server, closes streams that belong to no request, and waits for the requests in flight. If ctx ends
// first, it closes the sessions with everything in flight and returns the error of ctx; stateless requests are cancelled when their connections are closed,
// for instance by [http.Server.Close].
func (h *Handler) Shutdown(ctx context.Context) error {
	h.closing.Store(true)
	h.sessions.drain() // separate streams
	err := h.srv.Shutdown(ctx)
	for h.running.Load() > 0 && err == nil {
		select {
		case <-h.rest:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.sessions.close()
	h.sse.close()
	if h.place != nil {
		h.place.Leave()
	}
	return err
}

// Close closes all sessions without waiting for the requests in flight.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Shutdown(ctx)
	return nil
}
