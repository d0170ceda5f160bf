package mcphttp

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// handlers is how many handlers a site has. Their clients are sent to each of them in turn.
var handlers = 1

// replicated returns a handler that passes requests to replicas in turn, and the first one of them.
func replicated(t *testing.T, w *workshop.Workshop, o Options) (http.Handler, *Handler) {
	o.Replicas = mcpcluster.New(mcpcluster.NewMemory())
	var all []*Handler
	for i := range handlers {
		srv := w.Server
		if i > 0 {
			srv = w.NewServer()
		}
		h := NewHandler(srv, o)
		all = append(all, h)
		t.Cleanup(func() {
			h.Close()
			srv.Close()
		})
	}
	var turn atomic.Uint64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all[turn.Add(1)%uint64(len(all))].ServeHTTP(w, r)
	}), all[0]
}

// TestReplicas runs the tests of sessions with three replicas: each request may come to any of them.
func TestReplicas(t *testing.T) {
	handlers = 3
	defer func() { handlers = 1 }()
	for name, test := range map[string]func(*testing.T){
		"session": TestSession, "id": TestSessionID, "questions": TestSessionAsks, "separate stream": TestSessionBeside,
		"reconnect": TestSessionReconnect, "disconnect": TestSessionDisconnect, "cancel": TestSessionCancel, "batch": TestSessionBatch,
		"empty answer": TestSessionInvalidAnswer, "stateless rounds": TestStatelessRounds,
		"principals": TestAuthSession, "client": TestClientOfMCP, "client reconnects": TestClientReconnects,
		"large answers": TestLargeAnswers, "panics": TestPanics, "malformed": TestMalformed, "keep-alive": TestKeepAlive,
	} {
		t.Run(name, test)
	}
}
