package mcphttp

import (
	"io"
	"net/http"
)

// Live returns a handler for a check whether the process lives, such as /livez: it answers 200, or 503 once one of ended reports that something that the
// process needs has ended for good, such as nats.Conn.IsClosed, so that it has to be started again. Without any it always answers 200.
func Live(ended ...func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, is := range ended {
			if is() {
				http.Error(w, "something that this process needs has ended for good", http.StatusServiceUnavailable)
				return
			}
		}
		io.WriteString(w, "ok\n")
	})
}

// Readiness returns a handler for a check whether requests may be sent to this process, such as
// /readyz: it answers 200, or 503 with the reason if [Handler.Ready] returns one.
func (h *Handler) Readiness() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := h.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
}
