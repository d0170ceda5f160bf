package rpchttp

import (
	"net/http"
	"slices"
	"strings"
)

// cors adds the headers that let pages of listed origins read the answer (Fetch, section 3.3). It reports whether the request was a
// preflight, and is answered.
func (h *Handler) cors(w http.ResponseWriter, r *http.Request) (preflight bool) {
	if len(h.o.AllowedOrigins) == 0 {
		return false
	}
	header := w.Header()
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !h.guard.Lists(origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		header.Set("Access-Control-Expose-Headers", "Retry-After")
		return false
	}
	header.Set("Access-Control-Allow-Methods", http.MethodPost)
	header.Set("Access-Control-Allow-Headers", strings.Join(slices.Concat(
		[]string{"Content-Type", "Content-Encoding", "Authorization"}, h.o.AllowedHeaders), ", "))
	header.Set("Access-Control-Max-Age", "600") // seconds
	h.write(w, http.StatusNoContent, nil)
	return true
}
