package rpchttp

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Handler serves JSON-RPC 2.0 by POST. It may be used by many goroutines, at any number of paths.
type Handler struct {
	o       Options
	d       *runtime.Dispatcher
	refuser web.Refuser
	guard   web.Guard
	calls   *web.Quota  // messages that are read and served
	streams *web.Quota  // calls that are streams
	memory  *web.Memory // of them and their answers
	events  web.EventLimits
	running atomic.Int64 // requests
	servers sync.Map     // of *http.Server, the context that ends when it shuts down
}

// NewHandler returns a handler that serves h. The call's context ends when the client closes the connection. [Serve] runs it with limits of time
// and headers; an [http.Server] of your own needs these: ReadHeaderTimeout, IdleTimeout, MaxHeaderBytes, and HTTP2.WriteByteTimeout with TLS.
func NewHandler(h runtime.Handler, o Options) *Handler {
	o = o.withDefaults()
	if o.CallTimeout > 0 {
		o.Runtime.CallTimeout = o.CallTimeout
	}
	guard := web.NewGuard(o.AllowedHosts, o.AllowedOrigins)
	guard.Sharing = web.Sharing{
		Methods: http.MethodPost, Exposed: "WWW-Authenticate, Retry-After",
		Headers: slices.Concat([]string{"Content-Type", "Content-Encoding", "Authorization"}, o.AllowedHeaders),
	}
	memory := web.NewMemory(o.MaxBytes)
	d, log := runtime.NewDispatcher(h, o.Runtime), peerlog.For(o.Runtime.Logger)
	const keepAlive = 15 * time.Second // or proxies would close a quiet stream
	return &Handler{
		o: o, d: d, refuser: web.Refuser{
			Dispatcher: d, Log: log, WriteTimeout: o.WriteTimeout, OnRefusal: o.OnRefusal,
			Gate: web.NewGate(o.MaxCalls, o.MaxCallsPerClient, o.ClientOf, log),
		},
		guard: guard, calls: web.NewQuota("calls", o.MaxCalls, o.MaxCallsPerClient).Limit(memory), memory: memory,
		streams: web.NewQuota("streams", o.MaxCalls, o.Runtime.MaxStreams).Limit(memory),
		events:  web.EventLimits{WriteTimeout: o.WriteTimeout, KeepAlive: keepAlive, Memory: memory, Log: log},
	}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.running.Add(1)
	defer h.running.Add(-1)
	web.AwaitBody(w, r, h.o.BodyTimeout)
	if fault := h.guard.Check(r); fault != "" {
		h.refuser.Refuse(w, http.StatusForbidden, fault)
		return
	}
	if h.guard.Share(w, r) {
		h.write(w, http.StatusNoContent, nil)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.refuser.Refuse(w, http.StatusMethodNotAllowed, "this URL serves POST")
		return
	}
	if len(r.Header["Content-Type"]) > 1 {
		h.refuser.Refuse(w, http.StatusBadRequest, "the header Content-Type is there more than once")
		return
	}
	ctx, ok := h.refuser.Authenticate(w, r, h.o.Auth)
	if !ok {
		return
	}
	if h.o.Auth != nil { // its time is not the client's
		web.AwaitBody(w, r, h.o.BodyTimeout)
	}
	if !isMessage(r.Header.Get("Content-Type")) {
		h.refuser.Refuse(w, http.StatusUnsupportedMediaType, "the Content-Type of a message is "+web.JSON)
		return
	}
	client := web.ClientOf(principal.From(ctx), r, h.o.ClientOf)
	if h.d.Limited() {
		ctx = client.In(ctx)
	}
	share, cond, ok := h.calls.Take(client)
	if !ok {
		web.HangUp(w, r) // the message is not read
		h.refuser.RefuseFor(w, cond)
		return
	}
	defer share.Leave()
	msg, err := h.readMessage(w, r, &share)
	if err != nil {
		h.unreadable(w, r, err)
		return
	}
	q := &request{h: h, r: r, share: share.Hand(), reply: web.Reply{Writer: w, Client: client, Limits: &h.events}}
	if !h.d.Deadlines() {
		defer q.share.Leave()
		web.ServeMessage(ctx, w, r, h.d, msg, q, nil)
		return
	}
	h.running.Add(1)
	web.ServeMessage(ctx, w, r, h.d, msg, q, func() {
		q.share.Leave()
		h.running.Add(-1)
	})
}

// request is a request whose message is served.
type request struct {
	h      *Handler
	r      *http.Request
	share  web.Share // until the handlers have returned, which may be after the answer
	reply  web.Reply
	unhook func() bool // of shutdowns; nil if no stream has begun
}

// Begin implements [tap.Response].
func (q *request) Begin(call any, stop func()) bool {
	c := call.(*runtime.Call)
	if !web.Accepts(q.r.Header, web.EventStream) {
		c.Condition(runtime.Condition{Kind: when.StreamUnsupported, Method: c.Method(), Reason: "the header Accept has to list " + web.EventStream})
		return false
	}
	if cond, ok := q.share.Move(q.h.streams); !ok {
		cond.Kind, cond.Method = when.TooManyStreams, c.Method()
		c.Condition(cond)
		return false
	}
	q.unhook = context.AfterFunc(q.h.shutdownOf(q.r), stop)
	q.reply.Open()
	return true
}

// Post implements [tap.Response].
func (q *request) Post(_ context.Context, msg []byte) error { return q.reply.Post(msg) }

// shutdownOf returns a context that ends when the server of a request shuts down, which waits for its requests.
func (h *Handler) shutdownOf(r *http.Request) context.Context {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return context.Background()
	}
	ctx, cancel := context.WithCancel(context.Background())
	known, loaded := h.servers.LoadOrStore(server, ctx)
	if loaded {
		cancel()
	} else {
		server.RegisterOnShutdown(cancel)
	}
	return known.(context.Context)
}

// Answer implements [web.Answerer].
func (q *request) Answer(answer, _ []byte, o *transport.Outcome) {
	if q.unhook != nil {
		q.unhook()
		if !o.Failed { // before the first item, a failure has the status of its error
			q.reply.Post(answer)
			answer = nil
		}
	}
	w := q.reply.Writer
	if q.reply.Finish(answer) {
		return
	}
	status := http.StatusOK
	if o.Failed && o.HTTPStatus != 0 {
		status = o.HTTPStatus
	}
	held, ok := q.h.memory.Hold(q.reply.Client, len(answer))
	if !ok {
		q.h.refuser.NotTaken(w)
		return
	}
	defer held.Release()
	web.SetRetryAfter(w, o.RetryAfter)
	if len(answer) > 0 { // a notification gets 204
		web.Demand(w, "Bearer", o.Scope)
	}
	q.h.answer(w, q.r, status, answer)
}
