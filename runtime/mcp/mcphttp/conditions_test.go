package mcphttp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

// declaring are methods of a server whose schema declares the same error for all conditions.
type declaring struct {
	declares bool
	status   int // of the declared error; 0 if the schema gives none
}

func (declaring) Protocol() runtime.Protocol { return runtime.Protocol{} }
func (declaring) Hooks() runtime.Hooks       { return runtime.Hooks{Deadlines: true} }

func (d declaring) Condition(runtime.Condition) error {
	if !d.declares {
		return nil
	}
	return declared(d.status)
}

func (d declaring) Handle(ctx context.Context, c *runtime.Call) {
	for c.OptionalParams("") {
		c.Reader().Raw()
	}
	switch c.Method() {
	case "own/timeout":
		ctx = c.WithTimeout(ctx, time.Millisecond)
		<-ctx.Done()
		c.Fail(ctx.Err())
	case "own/cancelled":
		c.Fail(fmt.Errorf("the upstream: %w", context.Canceled))
	case "own/echo":
		c.ReturnEmpty()
	default:
		c.MethodNotFound("own/echo")
	}
}

// declared is an error of a schema, with an HTTP status or 0.
type declared int

func (declared) Error() string { return "declared" }
func (d declared) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 4242, Message: "declared", HTTPStatus: int(d)}
}

// TestConditions: an error that the schema declares for a condition has the HTTP status that the schema gives, or else that of the
// condition.
func TestConditions(t *testing.T) {
	const (
		stateless = mcp.Revision20260728
		session   = mcp.Revision20251125
	)
	for _, c := range []struct {
		condition, era string
		method, params string // params without _meta
		status         int    // where the schema gives none
		code           int64  // where the schema declares nothing
		given          int    // where the schema gives 418: in a session, clients go by the status
	}{
		{"method_not_found", stateless, "nothing", ``, 404, -32601, 418},
		{"tool_not_found", stateless, "tools/call", `"name":"nothing"`, 400, -32602, 418},
		{"resource_not_found", stateless, "resources/read", `"uri":"shop://nothing"`, 400, -32602, 418},
		{"prompt_not_found", stateless, "prompts/get", `"name":"nothing"`, 400, -32602, 418},
		{"timeout", stateless, "own/timeout", ``, 504, 504, 418},
		{"rate_limited", stateless, "own/echo", ``, 429, 429, 418},
		{"message_too_large", stateless, "own/echo", `"text":"` + strings.Repeat("x", 5000) + `"`, 413, -32600, 418},
		{"method_not_found", session, "nothing", ``, 200, -32601, 200},
		{"tool_not_found", session, "tools/call", `"name":"nothing"`, 200, -32602, 200},
		{"resource_not_found", session, "resources/read", `"uri":"shop://nothing"`, 200, -32002, 200},
		{"prompt_not_found", session, "prompts/get", `"name":"nothing"`, 200, -32602, 200},
		{"timeout", session, "own/timeout", ``, 200, 504, 200},
		{"rate_limited", session, "own/echo", ``, 200, 429, 200},
		{"message_too_large", session, "own/echo", `"text":"` + strings.Repeat("x", 5000) + `"`, 413, -32600, 418},
		{"already_initialized", session, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`, 400, -32600, 200},
		{"not_initialized", session, "own/echo", ``, 400, -32600, 418},
		{"session_not_found", session, "own/echo", ``, 404, -32600, 404},
	} {
		for _, status := range []int{-1, 0, 418} {
			t.Run(fmt.Sprintf("%s/%s/%d", c.condition, c.era, status), func(t *testing.T) {
				declarations, o := shop.Configure("")
				declarations.Own = declaring{declares: status >= 0, status: max(status, 0)}
				ho := Options{MaxBody: 4096}
				if c.condition == "rate_limited" {
					declarations.Change = func(i *mcp.Info) {
						i.Limiter = ratelimit.New(ratelimit.Limits{Methods: map[string]ratelimit.Rate{"own/echo": {Calls: 1, Per: time.Hour}}}).Middleware
					}
				}
				s := newSite(t, &workshop.Workshop{Server: mcp.NewServer(declarations, o)}, ho)
				headers := []string{"MCP-Protocol-Version: " + c.era}
				switch {
				case c.condition == "session_not_found":
					headers = append(headers, "Mcp-Session-Id: unknown")
				case c.era == session && c.condition != "not_initialized":
					headers = s.begin(c.era)
				}
				send := func(id string) answer {
					headers := headers
					params := c.params
					if c.era == stateless {
						name := ""
						if _, value, ok := strings.Cut(params, `":"`); ok && c.method != "own/echo" {
							name = strings.TrimSuffix(value, `"`)
						}
						headers = statelessHeaders(c.method, name)
						params = strings.TrimPrefix(params+","+statelessMeta+"}", ",")
					}
					return s.send("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"`+c.method+`","params":{`+params+`}}`, headers...)
				}
				if c.condition == "rate_limited" {
					send("1")
				}
				want, code := c.status, c.code
				if status >= 0 {
					code = 4242
				}
				if status > 0 {
					want = c.given
				}
				if got := send("2"); got.status != want || !strings.Contains(got.body, fmt.Sprintf(`"code":%d`, code)) {
					t.Errorf("got %d %s, want %d with %d", got.status, got.body, want, code)
				}
			})
		}
	}
}
