package mcphttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// post serves a message (basic/transports/streamable-http, Sending Messages).
func (h *Handler) post(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if h.postsSSE(r) {
		h.postSSE(ctx, w, r)
		return
	}
	if !web.Accepts(r.Header, typeJSON, typeStream) {
		text := "the Accept header has to list " + typeJSON + " and " + typeStream
		h.refuse(w, refusal{status: http.StatusNotAcceptable, text: text})
		return
	}
	if h.stateless.Limited() {
		ctx = h.callerOf(ctx, r).In(ctx)
	}
	msg, at, ok := h.read(ctx, w, r)
	if !ok {
		return
	}
	defer at.Leave()
	if h.isStateless(r, msg) {
		h.serveStateless(ctx, w, r, &at, msg)
		return
	}
	h.serveSession(ctx, w, r, &at, msg)
}

// read reads a message, which counts for a quota. Otherwise it has answered the request.
func (h *Handler) read(ctx context.Context, w http.ResponseWriter, r *http.Request) (msg []byte, at web.Share, ok bool) {
	if !web.IsJSON(r.Header.Get("Content-Type")) {
		h.refuse(w, refusal{status: http.StatusUnsupportedMediaType, text: "the Content-Type of a message is " + typeJSON})
		return nil, at, false
	}
	at, cond, ok := h.quotaOf(r).Take(h.callerOf(ctx, r))
	if !ok {
		web.HangUp(w, r) // the message is not read
		h.refuse(w, *conditionRefusal(cond))
		return nil, at, false
	}
	msg, err := web.ReadBody(w, r, h.o.MaxBody, &at)
	if err == nil {
		return msg, at, true
	}
	at.Leave()
	web.HangUp(w, r)
	if full, ok := errors.AsType[*web.FullError](err); ok {
		h.refuse(w, *conditionRefusal(full.Condition))
		return nil, at, false
	}
	if errors.Is(err, web.ErrBodyTooLarge) {
		size := max(int(r.ContentLength), h.o.MaxBody+1)
		cond := runtime.Condition{Kind: when.MessageTooLarge, MaxSize: h.o.MaxBody, Size: size, Unit: "bytes"}
		h.refuse(w, refusal{status: http.StatusRequestEntityTooLarge, condition: cond})
		return nil, at, false
	}
	h.refuse(w, refusal{status: http.StatusBadRequest, text: "the body could not be read", code: runtime.CodeParseError})
	return nil, at, false
}

// quotaOf returns the quota that a message counts for: subscriptions/listen counts as a stream. If
// the header does not agree with the message, the message is rejected later.
func (h *Handler) quotaOf(r *http.Request) *web.Quota {
	if r.Header.Get(headerMethod) == "subscriptions/listen" {
		return h.streams
	}
	return h.calls
}

// isStateless reports whether a message belongs to the stateless era: if it names a stateless
// revision, in the header or in _meta, or if the server has no sessions. A message with an unknown
// revision belongs to the era that has an error for it.
func (h *Handler) isStateless(r *http.Request, msg []byte) bool {
	if !h.handshakes || protocol.Of(r.Header.Get(headerVersion)).Era == mcp.Stateless {
		return true
	}
	version := protocol.Peek(msg).Version
	return version != "" && protocol.Of(version).Era != mcp.Handshake
}

// statelessStatus returns the HTTP status of an answer outside of sessions.
func statelessStatus(o *transport.Outcome) int {
	switch {
	case !o.Failed:
		return http.StatusOK
	case o.HTTPStatus != 0:
		return o.HTTPStatus
	}
	switch o.Code {
	case runtime.CodeParseError, runtime.CodeInvalidRequest, runtime.CodeInvalidParams:
		return http.StatusBadRequest
	case runtime.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// sessionStatus returns the HTTP status of an answer in a session. There, 404 means that the
// session has ended, and only an invalid message, or an error that says so, is a bad request.
func sessionStatus(o *transport.Outcome) int {
	switch {
	case !o.Failed:
		return http.StatusOK
	case o.Scope != "":
		return http.StatusForbidden
	case o.HTTPStatus == http.StatusBadRequest, o.Code == runtime.CodeParseError, o.Code == runtime.CodeInvalidRequest, o.Code == mcp.CodeUnsupportedVersion,
		o.Code == mcp.CodeHeaderMismatch, o.Code == mcp.CodeMissingCapability:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
