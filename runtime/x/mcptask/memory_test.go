package mcptask_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// TestRequestsOfTasks starts tasks that do not end, with large requests, until no more are taken, and measures what is kept of them.
func TestRequestsOfTasks(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	limit := heap.Limit() / 8
	size := int(limit) / 32
	large := strings.Repeat("x", size)
	// What follows the name in the params, and in the message.
	for name, c := range map[string]struct {
		params, message string
		principal       string
		limit           int64
		accepted        int // calls, at least; 0 if the limit says it
	}{
		"arguments":         {params: `"arguments":{"text":"` + large + `"},` + declared, limit: limit},
		"unknown argument":  {params: `"arguments":{"more":"` + large + `"},` + declared, limit: limit},
		"_meta":             {params: strings.Replace(declared, `"_meta":{`, `"_meta":{"example.org/more":"`+large+`",`, 1), limit: limit},
		"of one principal":  {params: `"arguments":{"text":"` + large + `"},` + declared, principal: "ann", limit: limit / 2},
		"params not kept":   {params: `"more":"` + large + `",` + declared, limit: 1 << 20, accepted: 60},
		"members not kept":  {params: declared, message: `,"more":"` + large + `"`, limit: 1 << 20, accepted: 60},
		"small, many times": {params: declared, limit: 1 << 20, accepted: 60},
	} {
		for _, over := range []string{"dispatcher", "http"} {
			t.Run(name+"/"+over, func(t *testing.T) {
				tasks := mcptask.Options{MaxBytes: int(limit)}
				r := newRig(t, tasks)
				msg := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait",` + c.params + `}` + c.message + `}`
				call := r.dispatched(c.principal)
				if over == "http" {
					call = r.posted(c.principal)
				}
				call(strings.Replace(msg, `"wait"`, `"echo"`, 1)) // what is made once
				accepted := 0
				check := heap.AtMost
				if c.accepted > 0 {
					check = func(t testing.TB, limit int64, f func()) {
						if kept := heap.Growth(f); kept > limit+limit/5 {
							t.Errorf("%d bytes are kept", kept)
						}
					}
				}
				check(t, c.limit, func() {
					for range 60 {
						switch answer := call(msg); {
						case strings.Contains(answer, `"taskId"`):
							accepted++
						case !strings.Contains(answer, "too many tasks"):
							t.Fatal(answer)
						}
					}
				})
				if accepted < c.accepted || c.accepted == 0 && (accepted > int(c.limit)/size || accepted == 0) {
					t.Error(accepted, "calls are accepted")
				}
				r.end()
			})
		}
	}
}

// dispatched makes calls without a transport.
func (r *rig) dispatched(principal string) func(msg string) string {
	ctx := context.Background()
	if principal != "" {
		ctx = mcp.WithPrincipal(ctx, principal)
	}
	d := runtime.NewDispatcher(r.server, runtime.Options{Logger: quiet, CallContext: true})
	return func(msg string) string { return string(d.Dispatch(ctx, nil, []byte(msg))) }
}

// posted makes calls over HTTP.
func (r *rig) posted(principal string) func(msg string) string {
	o := mcphttp.Options{}
	if principal != "" {
		o.Auth = mcphttp.Tokens(map[string]string{"secret-of-" + principal: principal})
	}
	web := httptest.NewServer(mcphttp.NewHandler(r.server, o))
	r.t.Cleanup(web.Close)
	return func(msg string) string {
		q, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(msg))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, header := range []string{
			"Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call",
			"Authorization: Bearer secret-of-" + principal,
		} {
			name, value, _ := strings.Cut(header, ": ")
			q.Header.Set(name, value)
		}
		q.Header.Set("Mcp-Name", "wait")
		if strings.Contains(msg, `"echo"`) {
			q.Header.Set("Mcp-Name", "echo")
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			r.t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return fmt.Sprint(string(text), err)
	}
}

// TestResultsOfTasks fills the memory of a store with the results of one client: another one still has room.
func TestResultsOfTasks(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	const limit = 4 << 20
	r := newRig(t, mcptask.Options{Store: mcptask.NewMemory(mcptask.MemoryOptions{MaxBytes: limit})})
	defer r.end()
	full := func(principal string) (results int) {
		for range 12 { // six more than have room, of which an eighth is for changes of state
			id := r.start(principal, "long", "")
			for {
				state := r.as(principal, "tasks/get", `"taskId":"`+id+`"`).In("result")
				switch text(state, "status") {
				case "working":
					continue
				case "completed":
					results++
				}
				break
			}
		}
		return results
	}
	heap.AtMost(t, limit/2, func() {
		if n := full("ann"); n != 6 {
			t.Error(n, "results of 256 KiB of ann are kept")
		}
	})
	if n := full("bob"); n != 6 {
		t.Error(n, "results of bob are kept")
	}
}
