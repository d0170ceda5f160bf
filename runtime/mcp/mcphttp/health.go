package mcphttp

import (
	"errors"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Live returns a handler for a check whether the process lives, such as /livez: it answers 200, or 503 once one of ended reports that something that the
// process needs has ended for good, such as nats.Conn.IsClosed, so that it has to be started again. Without any it always answers 200.
func Live(ended ...func() bool) http.Handler {
	return check(func() error {
		for _, is := range ended {
			if is() {
				return errEnded
			}
		}
		return nil
	})
}

var errEnded = errors.New("something that this process needs has ended for good")

// Readiness returns a handler for a check whether requests may be sent to this process, such as
// /readyz: it answers 200, or 503 with the reason if [Handler.Ready] returns one.
func (h *Handler) Readiness() http.Handler {
	return check(h.Ready)
}

// check returns a handler that answers 200, or 503 with the error.
func check(fails func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.AwaitBody(w, r, web.BodyTime)
		status, text := http.StatusOK, "ok"
		if err := fails(); err != nil {
			status, text = http.StatusServiceUnavailable, err.Error()
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		web.WriteBody(w, web.BodyTime, status, append([]byte(text), '\n'))
	})
}
