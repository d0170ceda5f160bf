package rpchttp

import (
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// Handler serves JSON-RPC 2.0 by POST. It may be used by many goroutines, at any number of paths.
type Handler struct {
	o       Options
	d       *runtime.Dispatcher
	refuser web.Refuser
	guard   web.Guard
	calls   *web.Quota   // messages that are read and served
	memory  *web.Memory  // of them and their answers
	running atomic.Int64 // requests
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
	return &Handler{
		o: o, d: d, refuser: web.Refuser{
			Dispatcher: d, Log: log, WriteTimeout: o.WriteTimeout, OnRefusal: o.OnRefusal,
			Gate: web.NewGate(o.MaxCalls, o.MaxCallsPerClient, o.ClientOf, log),
		},
		guard: guard, calls: web.NewQuota("calls", o.MaxCalls, o.MaxCallsPerClient).Limit(memory), memory: memory,
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
	q := &request{h: h, w: w, r: r, client: client}
	var ended func()
	if h.d.Deadlines() {
		h.running.Add(1)
		q.held, ended = share.Hand(), func() {
			q.held.Leave()
			h.running.Add(-1)
		}
	}
	web.ServeMessage(ctx, w, r, h.d, msg, q, ended)
}

// request is a request whose message is served.
type request struct {
	h      *Handler
	w      http.ResponseWriter
	r      *http.Request
	client web.Client
	held   web.Share // until the handlers have returned, if they may do so after the answer
}

// Answer implements [web.Answerer].
func (q *request) Answer(answer, _ []byte, o *transport.Outcome) {
	status := http.StatusOK
	if o.Failed && o.HTTPStatus != 0 {
		status = o.HTTPStatus
	}
	held, ok := q.h.memory.Hold(q.client, len(answer))
	if !ok {
		q.h.refuser.NotTaken(q.w)
		return
	}
	defer held.Release()
	web.SetRetryAfter(q.w, o.RetryAfter)
	if len(answer) > 0 { // a notification gets 204
		web.Demand(q.w, "Bearer", o.Scope)
	}
	q.h.answer(q.w, q.r, status, answer)
}
