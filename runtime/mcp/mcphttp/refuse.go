package mcphttp

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// refusal is the answer of the transport itself to a request whose message was not served: a JSON-RPC error without an id.
type refusal struct {
	status int
	text   string
	code   int64 // 0 means -32600 Invalid Request
	// condition for which the schema may declare the error; zero means none
	condition runtime.Condition
}

// The refusals of messages of sessions that are not there, or that have ended.
var (
	noSession    = refusalOf(&replicas.NoSession)
	noSessionSSE = refusal{status: http.StatusNotFound, condition: runtime.Condition{Kind: when.SessionNotFound, Reason: "open a stream by GET"}}
)

// refuse answers with r.
func (h *Handler) refuse(w http.ResponseWriter, r refusal) {
	body, reason := r.body(), r.text
	if r.condition.Kind != 0 {
		answer, declared := h.stateless.Refuse(nil, r.condition)
		body, reason, r.code = answer, r.condition.Reason, declared.Code
		if declared.HTTPStatus != 0 && r.condition.Kind != when.SessionNotFound { // clients know by 404 that the session is over
			r.status = declared.HTTPStatus
		}
		web.SetRetryAfter(w, r.condition.RetryAfter)
	}
	h.peerLog.Debug("a request was rejected", "status", r.status, "reason", reason)
	if h.o.OnRefusal != nil {
		h.o.OnRefusal(r.status, r.code)
	}
	writeAnswer(w, h.o.WriteTimeout, r.status, body)
}

// body returns the JSON-RPC error with the text.
func (r *refusal) body() []byte {
	r.code = cmp.Or(r.code, runtime.CodeInvalidRequest)
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","error":{"code":`), r.code, 10)
	b = wire.AppendString(append(b, `,"message":`...), r.text)
	return append(b, "}}"...)
}

// The media types.
const (
	typeJSON   = web.JSON
	typeStream = web.EventStream
)

// The values of headers. They are shared, and must not be changed.
var (
	jsonType   = []string{typeJSON}
	streamType = []string{typeStream}
)

// notAllowed answers a method that the URL does not serve.
func (h *Handler) notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	h.refuse(w, refusal{status: http.StatusMethodNotAllowed, text: "this URL serves " + allow})
}
