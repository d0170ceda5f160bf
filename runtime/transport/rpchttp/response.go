package rpchttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// StatusError means that there is no JSON-RPC response to the message. It holds the HTTP status
// instead.
type StatusError struct {
	Status     int            // HTTP status
	Err        *runtime.Error // error in the body without the id of the message; may be nil
	Body       string         // the beginning of the body if it is not such an error
	RetryAfter time.Duration  // how long to wait before another attempt; 0 if unknown
}

func (e *StatusError) Error() string {
	text := "rpchttp: the server answered " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	switch {
	case e.Err != nil:
		text += ": " + e.Err.Error()
	case e.Body != "":
		text += ": " + e.Body
	}
	return text
}

// Unwrap returns the error that came in the body, if any.
func (e *StatusError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// answer is a response of HTTP whose body was read.
type answer struct {
	*http.Response
	body    []byte
	secrets *web.Secrets // that errors do not repeat
}

// response returns the response to the request with the id. An error without an id answers for it, too, when it is one that a schema may
// declare, so that clients get it as they do over other transports.
func (a *answer) response(id int64) ([]byte, error) {
	p := wire.PeekAt(a.body)
	if answers(p, id) || a.declares() && isError(p) { // the generated client checks the rest
		return a.secrets.HideErrors(a.body), nil
	}
	return nil, a.failure()
}

// responses returns the responses to the requests with n ids from first on.
func (a *answer) responses(first int64, n int) ([][]byte, error) {
	return a.all(n, func(id int64) int { return int(min(max(id-first, -1), int64(n))) })
}

// all returns the responses to n requests; at returns the index of the one with an id, or a number outside of them.
func (a *answer) all(n int, at func(id int64) int) ([][]byte, error) {
	if wire.Check(a.body, wire.MaxDepth) != nil {
		return nil, a.failure()
	}
	p := wire.PeekAt(a.body)
	all := make([][]byte, n)
	switch {
	case a.declares() && isError(p): // for all of them
		clean := a.secrets.HideErrors(a.body)
		for i := range all {
			all[i] = clean
		}
		return all, nil
	case p.Kind() != wire.Array:
		return nil, a.failure()
	}
	for e := range p.Elements() {
		id, ok := e.In("id").Int64()
		if !ok {
			continue
		}
		if i := at(id); 0 <= i && i < n && all[i] == nil {
			all[i] = a.secrets.HideErrors(e.JSON())
		}
	}
	return all, nil
}

// acceptance returns nil when the server has taken a notification.
func (a *answer) acceptance() error {
	if a.StatusCode/100 == 2 {
		return nil // whatever else there is
	}
	return a.failure()
}

// declares reports whether an error in the body is one of the service, and not of HTTP.
func (a *answer) declares() bool {
	switch a.StatusCode {
	case http.StatusOK, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return a.StatusCode >= 500
}

// failure is the error for an answer that holds no response.
func (a *answer) failure() error {
	e := &StatusError{Status: a.StatusCode, Err: web.ErrorWithoutID(a.secrets.HideErrors(a.body))}
	if e.Err == nil {
		e.Body = a.secrets.Excerpt(a.body)
	}
	if seconds, err := strconv.ParseInt(a.Header.Get("Retry-After"), 10, 32); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// answers reports whether p is the response to the request with the id.
func answers(p wire.Peek, id int64) bool {
	n, ok := p.In("id").Int64()
	return ok && n == id && (p.Has("result") || p.Has("error"))
}

// isError reports whether p is an error whose id is null.
func isError(p wire.Peek) bool { return p.Has("error") && string(p.In("id").JSON()) == "null" }
