package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Errors of functions that authenticate callers; see [Refuser.Authenticate].
var (
	ErrForbidden   = errors.New("the caller may not use this server")
	ErrUnavailable = errors.New("callers cannot be authenticated now")
)

// InternalError is the text of [runtime.CodeInternalError]: peers learn nothing else about a fault of the program.
const InternalError = "Internal error"

// Refuser answers requests that a transport of plain JSON-RPC does not serve with errors of JSON-RPC.
type Refuser struct {
	Dispatcher   *runtime.Dispatcher
	Log          *peerlog.Logger
	WriteTimeout time.Duration
	OnRefusal    func(status int, code int64) // may be nil
	Gate         *Gate                        // of Authenticate
}

// Refuse answers with an error that says the text.
func (f *Refuser) Refuse(w http.ResponseWriter, status int, text string) {
	f.refuse(w, status, runtime.CodeInvalidRequest, text)
}

// NotTaken answers a call whose answer has no room until the client has taken it.
func (f *Refuser) NotTaken(w http.ResponseWriter) {
	f.Log.Warn(NotTaken)
	f.refuse(w, http.StatusInternalServerError, runtime.CodeInternalError, NotTaken)
}

func (f *Refuser) refuse(w http.ResponseWriter, status int, code int64, text string) {
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":`), code, 10)
	b = wire.AppendString(append(b, `,"message":`...), text)
	f.refuseWith(w, status, code, text, append(b, "}}"...))
}

// RefuseFor refuses for a condition, which the schema may have declared an error for. The zero Condition is a fault of the program.
func (f *Refuser) RefuseFor(w http.ResponseWriter, cond runtime.Condition) {
	if cond.Kind == 0 {
		f.refuse(w, http.StatusInternalServerError, runtime.CodeInternalError, InternalError)
		return
	}
	body, declared := f.Dispatcher.Refuse(nil, cond)
	status := Status(cond.Kind)
	if declared.HTTPStatus != 0 {
		status = declared.HTTPStatus
	}
	SetRetryAfter(w, cond.RetryAfter)
	f.refuseWith(w, status, declared.Code, cond.Reason, body)
}

func (f *Refuser) refuseWith(w http.ResponseWriter, status int, code int64, reason string, body []byte) {
	f.Log.Debug("a request was refused", "status", status, "reason", reason)
	if f.OnRefusal != nil {
		f.OnRefusal(status, code)
	}
	WriteJSON(w, f.WriteTimeout, status, body)
}

// Authenticate returns the context of a request that auth lets pass; otherwise it has been answered: 403 for [ErrForbidden], 503 for
// [ErrUnavailable], 401 for other errors, 500 for a panic; 429 and 503 over the limits of the gate. A nil auth lets all pass.
func (f *Refuser) Authenticate(w http.ResponseWriter, r *http.Request,
	auth func(context.Context, *http.Request) (context.Context, error)) (context.Context, bool) {
	if auth == nil {
		return r.Context(), true
	}
	var ctx context.Context
	var err error
	passed := f.Gate.Pass(w, r, func() { ctx, err = auth(r.Context(), r) }, func(cond runtime.Condition) { f.RefuseFor(w, cond) })
	switch {
	case !passed:
	case err == nil && ctx != nil:
		return ctx, true
	case errors.Is(err, ErrUnavailable):
		f.Log.Warn("a caller could not be authenticated", "error", err)
		f.RefuseFor(w, runtime.Condition{Kind: when.Overloaded, Reason: ErrUnavailable.Error(), RetryAfter: Busy})
	case errors.Is(err, ErrForbidden):
		f.Refuse(w, http.StatusForbidden, ErrForbidden.Error())
	default:
		f.Log.Debug("a caller was not authenticated", "error", err)
		challenge := "Bearer"
		if len(r.Header["Authorization"]) > 0 {
			challenge = `Bearer error="invalid_token"` // RFC 6750 section 3.1
		}
		w.Header().Set("WWW-Authenticate", challenge)
		f.Refuse(w, http.StatusUnauthorized, "the request is not authenticated")
	}
	return nil, false
}
