package rpchttp

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Values of headers, which nobody changes.
var (
	jsonType     = []string{web.JSON}
	gzipEncoding = []string{"gzip"}
)

// write answers with a body; empty is none.
func (h *Handler) write(w http.ResponseWriter, status int, body []byte) {
	if len(body) > 0 {
		w.Header()["Content-Type"] = jsonType
	}
	web.WriteBody(w, h.o.WriteTimeout, status, body)
}

// answer answers a message; an empty answer is that of a notification.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if len(body) == 0 {
		h.write(w, http.StatusNoContent, nil)
		return
	}
	if h.o.CompressFrom < 0 || len(body) < h.o.CompressFrom {
		h.write(w, status, body)
		return
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if values := r.Header["Accept-Encoding"]; len(values) == 0 || !web.AcceptsEncoding(values, "gzip") {
		h.write(w, status, body)
		return
	}
	w.Header()["Content-Encoding"] = gzipEncoding
	h.write(w, status, compress(body))
}

// writers holds writers of gzip, which are large.
var writers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // which is a level
	return z
}}

// compress returns b in gzip.
func compress(b []byte) []byte {
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	var out bytes.Buffer
	z.Reset(&out)
	z.Write(b) // into memory
	z.Close()
	z.Reset(nil)
	return out.Bytes()
}

// refuse answers a request whose message was not served with an error of JSON-RPC that says the text.
func (h *Handler) refuse(w http.ResponseWriter, status int, text string) {
	const code = runtime.CodeInvalidRequest
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":`), code, 10)
	b = wire.AppendString(append(b, `,"message":`...), text)
	h.refused(w, status, code, text, append(b, "}}"...))
}

// refuseFor refuses for a condition, which the schema may have declared an error for.
func (h *Handler) refuseFor(w http.ResponseWriter, cond runtime.Condition) {
	body, outcome := h.d.Refuse(nil, cond)
	status := web.Status(cond.Kind)
	if outcome.HTTPStatus != 0 {
		status = outcome.HTTPStatus
	}
	if seconds := cond.RetrySeconds(); seconds > 0 {
		w.Header()["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
	}
	h.refused(w, status, outcome.Code, cond.Reason, body)
}

func (h *Handler) refused(w http.ResponseWriter, status int, code int64, reason string, body []byte) {
	h.peerLog.Debug("a request was refused", "status", status, "reason", reason)
	if h.o.OnRefusal != nil {
		h.o.OnRefusal(status, code)
	}
	h.write(w, status, body)
}
