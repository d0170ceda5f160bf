package mcphttp

import (
	"net/http"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// refusal is an answer of the transport itself, to a request whose message was not served: a JSON-RPC error without an id.
type refusal struct {
	status int
	text   string
	code   int64 // zero: -32600 Invalid Request
}

// refuse answers with r.
func (h *Handler) refuse(w http.ResponseWriter, r refusal) {
	if r.code == 0 {
		r.code = runtime.CodeInvalidRequest
	}
	h.peerLog.Debug("a request was refused", "status", r.status, "reason", r.text)
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","error":{"code":`), r.code, 10)
	b = wire.AppendString(append(b, `,"message":`...), r.text)
	header := w.Header()
	header["Content-Type"] = jsonType
	w.WriteHeader(r.status)
	w.Write(append(b, "}}"...))
}

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
