package rpchttp

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// The values of headers. They are shared, and must not be changed.
var (
	jsonType     = []string{web.JSON}
	gzipEncoding = []string{"gzip"}
)

// write answers with a body; empty is none.
func (h *Handler) write(w http.ResponseWriter, status int, body []byte) {
	web.WriteJSON(w, h.o.WriteTimeout, status, body)
}

// answer answers a message; an empty answer is that of a notification.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if len(body) == 0 {
		h.write(w, http.StatusNoContent, nil)
		return
	}
	if h.o.CompressFrom >= 0 && len(body) >= h.o.CompressFrom {
		w.Header().Add("Vary", "Accept-Encoding")
		if values := r.Header["Accept-Encoding"]; len(values) > 0 && web.AcceptsEncoding(values, "gzip") {
			w.Header()["Content-Encoding"] = gzipEncoding
			body = compress(body)
		}
	}
	h.write(w, status, body)
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
