package web

import (
	"net/http"
	"runtime/debug"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Gate is where requests are authenticated. It limits how many are at the same time, of one address and in all: authentication comes
// before every other limit, and may take requests to other servers.
type Gate struct {
	limit *Quota
	named func(r *http.Request) string
	log   *peerlog.Logger
}

// NewGate returns a gate with a limit in all and one for each client, which named names; see [ClientOf].
func NewGate(most, mostEach int, named func(r *http.Request) string, log *peerlog.Logger) *Gate {
	return &Gate{NewQuota("requests that are authenticated", most, mostEach), named, log}
}

// Pass calls authenticate and reports true. It calls refuse and reports false if there are too many requests; and also, with the zero
// Condition, if authenticate panics or ends its goroutine, which is logged.
func (g *Gate) Pass(w http.ResponseWriter, r *http.Request, authenticate func(), refuse func(cond runtime.Condition)) (passed bool) {
	share, cond, ok := g.limit.Take(ClientOf("", r, g.named))
	if !ok {
		HangUp(w, r) // the message is not read
		refuse(cond)
		return false
	}
	defer func() {
		share.Leave()
		if passed {
			return
		}
		p := recover()
		if p == http.ErrAbortHandler {
			panic(p)
		}
		g.log.Error("the function that authenticates callers did not return", "panic", peerlog.Value(p), "stack", peerlog.Stack(debug.Stack()))
		HangUp(w, r)
		refuse(runtime.Condition{})
	}()
	authenticate()
	return true
}
