package mcphttp

import (
	"net/http"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// refusal is an answer of the transport itself, to a request whose message was not served: a JSON-RPC error without an id.
type refusal struct {
	status    int
	text      string
	code      int64             // zero: -32600 Invalid Request
	condition runtime.Condition // what the schema may have declared an error for, which is answered then; zero: nothing
}

// refuse answers with r.
func (h *Handler) refuse(w http.ResponseWriter, r refusal) {
	body, reason := r.body(), r.text
	if r.condition.Kind != 0 {
		answer, outcome := h.stateless.Refuse(nil, r.condition)
		body, reason, r.code = answer, r.condition.Reason, outcome.Code
		if outcome.HTTPStatus != 0 {
			r.status = outcome.HTTPStatus
		}
		if seconds := r.condition.RetrySeconds(); seconds > 0 {
			w.Header()["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
		}
	}
	h.peerLog.Debug("a request was rejected", "status", r.status, "reason", reason)
	if h.o.OnRefusal != nil {
		h.o.OnRefusal(r.status, r.code)
	}
	writeAnswer(w, h.o.WriteTimeout, r.status, body)
}

// body is the error that says the text.
func (r *refusal) body() []byte {
	if r.code == 0 {
		r.code = runtime.CodeInvalidRequest
	}
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","error":{"code":`), r.code, 10)
	b = wire.AppendString(append(b, `,"message":`...), r.text)
	return append(b, "}}"...)
}

// Media types.
const (
	typeJSON   = web.JSON
	typeStream = "text/event-stream"
)

// Values of headers, which nobody changes.
var (
	jsonType   = []string{typeJSON}
	streamType = []string{typeStream}
	noCache    = []string{"no-cache, no-transform"}
	unbuffered = []string{"no"}
)

// notAllowed answers for a method that the URL does not serve.
func (h *Handler) notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	h.refuse(w, refusal{status: http.StatusMethodNotAllowed, text: "this URL serves " + allow})
}
