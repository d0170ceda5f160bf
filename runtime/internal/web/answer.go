package web

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// jsonType is the value of a header. It is shared, and must not be changed.
var jsonType = []string{JSON}

// SetRetryAfter sets the header Retry-After (RFC 9110 section 10.2.3), if it is known when the client may try again.
func SetRetryAfter(w http.ResponseWriter, wait time.Duration) {
	if seconds := (runtime.Condition{RetryAfter: wait}).RetrySeconds(); seconds > 0 {
		w.Header()["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
	}
}

// InsufficientScope is the error of a challenge to a client that may not make a call (RFC 6750 section 3.1).
const InsufficientScope = "insufficient_scope"

// Demand tells a client which scopes its call needs; empty means that it lacks none. The argument where is the beginning of the challenge.
func Demand(w http.ResponseWriter, where, scope string) {
	if scope != "" {
		SetChallenge(w, where, InsufficientScope, scope)
	}
}

// SetChallenge sets the header WWW-Authenticate to a challenge with the parameters error and scope, unless they are empty (RFC 6750 section 3).
func SetChallenge(w http.ResponseWriter, where, code, scope string) {
	for _, param := range [...][2]string{{"error", code}, {"scope", scope}} {
		if param[1] == "" {
			continue
		}
		separator := ", "
		if where == "Bearer" {
			separator = " "
		}
		where += separator + param[0] + `="` + param[1] + `"`
	}
	w.Header().Set("WWW-Authenticate", where)
}

// WriteJSON writes a whole response within the timeout; an empty body is none.
func WriteJSON(w http.ResponseWriter, timeout time.Duration, status int, body []byte) {
	if len(body) > 0 {
		w.Header()["Content-Type"] = jsonType
	}
	WriteBody(w, timeout, status, body)
}

// WriteBody writes a whole response within the timeout. It is flushed here, whatever its size: what net/http writes after the handler has
// returned has no deadline.
func WriteBody(w http.ResponseWriter, timeout time.Duration, status int, body []byte) {
	if status != http.StatusNoContent {
		w.Header()["Content-Length"] = contentLength(len(body))
	}
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(timeout)) // a writer without support has deadlines of its own
	w.WriteHeader(status)
	if len(body) > 0 {
		w.Write(body)
	}
	control.Flush()
	control.SetWriteDeadline(time.Time{}) // or the next request of the connection would have it
}

// lengths holds values of Content-Length as they were needed: most answers are short.
var lengths [2 << 10]atomic.Pointer[[]string]

// contentLength returns the value of the header. It is shared, and must not be changed.
func contentLength(n int) []string {
	if n >= len(lengths) {
		return []string{strconv.Itoa(n)}
	}
	value := lengths[n].Load()
	if value == nil {
		value = &[]string{strconv.Itoa(n)}
		lengths[n].Store(value)
	}
	return *value
}
