package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// serveStateless serves a stateless message. Its handler runs in this goroutine, unless there are
// methods with timeouts, and is cancelled when the client closes the connection.
func (h *Handler) serveStateless(ctx context.Context, w http.ResponseWriter, r *http.Request, at *web.Share, msg []byte) {
	x := &exchange{h: h, reply: web.Reply{Writer: w, Client: at.Client(), Limits: &h.events}}
	arrived := protocol.WithHTTP
	if isArray(msg) {
		arrived = protocol.WithHTTPBatch
	}
	ctx = arrived(ctx, mirror.Headers(r.Header))
	ctx = transport.WithPeer(ctx, x)
	var ended func()
	if h.stateless.Deadlines() {
		held := at.Hand()
		h.running.Add(1)
		ended = func() {
			held.Leave()
			h.leave()
		}
	}
	web.ServeMessage(ctx, w, r, h.stateless, msg, x, ended)
}

// exchange is a stateless request, and the connection to its client while it is served: a
// notification turns the answer into a stream (basic/transports/streamable-http, Receiving
// Messages).
type exchange struct {
	h     *Handler
	reply web.Reply
}

// errNoRequests is the error of calls to the client of a stateless request.
var errNoRequests = errors.New("mcphttp: stateless clients receive no requests")

// NextID implements [runtime.Conn].
func (*exchange) NextID(int) (int64, error) { return 0, errNoRequests }

// Call implements [runtime.Conn].
func (*exchange) Call(context.Context, int64, []byte) ([]byte, error) { return nil, errNoRequests }

// CallBatch implements [runtime.Conn].
func (*exchange) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errNoRequests
}

// Notify sends a notification on the stream of the request.
func (x *exchange) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return x.reply.Post(msg)
}

// Answer implements [web.Answerer].
func (x *exchange) Answer(answer, msg []byte, o *transport.Outcome) {
	if w := x.reply.Writer; !x.reply.Finish(answer) {
		x.answerJSON(w, answer, msg, o)
	}
}

// answerJSON answers with one object, or with an empty body to a notification.
func (x *exchange) answerJSON(w http.ResponseWriter, answer, msg []byte, o *transport.Outcome) {
	status := statelessStatus(o)
	if isArray(msg) && !isArray(answer) {
		status = http.StatusBadRequest // the batch was rejected as a whole
	}
	web.SetRetryAfter(w, o.RetryAfter)
	x.h.demand(w, o)
	x.h.answer(w, x.reply.Client, status, answer)
}

// answer answers a call of a client with JSON, if there is memory until the client has taken it.
func (h *Handler) answer(w http.ResponseWriter, client web.Client, status int, answer []byte) {
	held, ok := h.memory.Hold(client, len(answer))
	if !ok {
		h.peerLog.Warn(web.NotTaken)
		h.refuse(w, refusal{status: http.StatusInternalServerError, code: runtime.CodeInternalError, text: web.NotTaken})
		return
	}
	defer held.Release()
	writeAnswer(w, h.o.WriteTimeout, status, answer)
}

func isArray(msg []byte) bool { return wire.PeekAt(msg).Kind() == wire.Array }

// writeAnswer answers with JSON. An empty answer is that to a notification, which was accepted
// unless the status says otherwise.
func writeAnswer(w http.ResponseWriter, timeout time.Duration, status int, answer []byte) {
	header := w.Header()
	if len(answer) > 0 {
		header["Content-Type"] = jsonType
	} else if status == http.StatusOK {
		status = http.StatusAccepted
	}
	web.WriteBody(w, timeout, status, answer)
}
