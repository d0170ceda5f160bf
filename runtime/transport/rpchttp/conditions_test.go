package rpchttp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

// declaring is a service whose schema declares the same error for all conditions.
type declaring struct {
	declares bool
	status   int // of the declared error; 0 if the schema gives none
	began    chan struct{}
}

func (declaring) Protocol() runtime.Protocol { return runtime.Protocol{Batch: true} }

func (d declaring) Hooks() runtime.Hooks { return runtime.Hooks{Deadlines: true} }

func (d declaring) Condition(runtime.Condition) error {
	if !d.declares {
		return nil
	}
	return declared(d.status)
}

func (d declaring) Handle(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case "echo":
		for c.OptionalParams("") {
			c.Reader().Raw()
		}
		c.ReturnEmpty()
	case "wait", "timeout":
		for c.OptionalParams("") {
			c.Reader().Raw()
		}
		if c.Method() == "timeout" {
			ctx = c.WithTimeout(ctx, time.Millisecond)
		}
		d.began <- struct{}{}
		<-ctx.Done()
		c.Fail(ctx.Err())
	case "cancelled":
		for c.OptionalParams("") {
			c.Reader().Raw()
		}
		c.Fail(fmt.Errorf("the upstream: %w", context.Canceled))
	case "budget":
		c.Condition(runtime.Condition{Kind: when.BudgetExceeded, MaxSize: 1, Size: 2, Unit: "bytes"})
	default:
		c.MethodNotFound("echo")
	}
}

// declared is an error of a schema, with an HTTP status or 0.
type declared int

func (declared) Error() string { return "declared" }
func (d declared) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 4242, Message: "declared", HTTPStatus: int(d)}
}

// TestConditions: an error that the schema declares for a condition has the status that the schema gives, or else that of the condition.
func TestConditions(t *testing.T) {
	request := func(method string) string { return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}` }
	for name, c := range map[string]struct {
		body   string
		status int   // where the schema gives none
		code   int64 // where the schema declares nothing
		o      Options
		first  string // a request before, which is answered later if its method is wait
	}{
		"method_not_found":  {request("nothing"), 200, -32601, Options{}, ""},
		"timeout":           {request("timeout"), 200, -32001, Options{}, ""},
		"cancelled":         {request("cancelled"), 200, -32800, Options{}, ""},
		"budget_exceeded":   {request("budget"), 200, -32600, Options{}, ""},
		"rate_limited":      {request("echo"), 429, -32000, Options{}, request("echo")},
		"rate of a client":  {request("echo"), 429, -32000, Options{MaxCallsPerClient: 1}, request("wait")},
		"overloaded":        {request("echo"), 503, -32000, Options{MaxCalls: 1, MaxCallsPerClient: 1, ClientOf: func(r *http.Request) string { return r.Header.Get("X-Client") }}, request("wait")},
		"message_too_large": {request(strings.Repeat("x", 200)), 413, -32600, Options{MaxBody: 100}, ""},
		"batch_too_large":   {"[" + request("echo") + "," + request("echo") + "]", 200, -32600, Options{Runtime: runtime.Options{MaxBatch: 1}}, ""},
	} {
		for _, status := range []int{-1, 0, 418} {
			t.Run(fmt.Sprintf("%s/%d", name, status), func(t *testing.T) {
				h := declaring{declares: status >= 0, status: max(status, 0), began: make(chan struct{}, 2)}
				if name == "rate_limited" {
					c.o.Runtime.Limiter = ratelimit.New(ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Hour}}).Middleware
				}
				s := newSite(t, h, c.o)
				if c.first != "" {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					done := make(chan struct{})
					go func() {
						defer close(done)
						r, _ := http.NewRequestWithContext(ctx, "POST", s.http.URL, strings.NewReader(c.first))
						r.Header.Set("Content-Type", "application/json")
						if a, err := http.DefaultClient.Do(r); err == nil {
							a.Body.Close()
						}
					}()
					select {
					case <-h.began:
					case <-done:
					}
					defer func() { cancel(); <-done }()
				}
				want, code := c.status, c.code
				if status >= 0 {
					code = 4242
				}
				if status > 0 {
					want = status
				}
				var other []string
				if name == "overloaded" {
					other = []string{"X-Client: other"}
				}
				got := s.send("POST", c.body, other...)
				if got.status != want || !strings.Contains(got.body, fmt.Sprintf(`"code":%d`, code)) {
					t.Errorf("got %d %s, want %d with %d", got.status, got.body, want, code)
				}
			})
		}
	}
}
