package mcpdynamic_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// TestTwice: nothing is read from arguments, answers or _meta in which a member is there twice: not by a header that mirrors it, by the
// question or the signature of a round, or by the handler.
func TestTwice(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	var handled []string
	err := set.AddTools(mcpdynamic.Tool{
		Name: "transfer", InputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`),
		Call: func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) {
			answer, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: arguments.String()})
			if err != nil {
				return nil, err
			}
			if answer.Action == "accept" {
				handled = append(handled, arguments.String())
			}
			return mcpdynamic.Text("done"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := runtime.NewDispatcher(srv, runtime.Options{})
	header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"transfer"}, "Mcp-Param-Region": {"eu"}}
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
	call := func(arguments, more, meta string) string {
		msg := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"transfer","arguments":` + arguments + more + `,"_meta":{` + meta + `}}}`
		return string(d.Dispatch(protocol.WithHTTP(t.Context(), mirror.Headers(header)), nil, []byte(msg)))
	}
	round := func() (state string) {
		t.Helper()
		answer := call(`{"region":"eu","amount":5}`, "", meta)
		found := regexp.MustCompile(`"requestState":"[^"]*"`).FindString(answer)
		if found == "" {
			t.Fatal(answer)
		}
		return "," + found
	}
	yes := func(state string) string { return state + `,"inputResponses":{"sure":{"action":"accept"}}` }
	if answer := call(`{"region":"eu","amount":5}`, yes(round()), meta); len(handled) != 1 || !strings.Contains(answer, "done") {
		t.Fatal(answer)
	}
	for name, answer := range map[string]string{
		"argument":            call(`{"region":"eu","amount":5,"amount":1000000}`, yes(round()), meta),
		"argument, escaped":   call(`{"region":"eu","amount":5,"am\u006funt":1000000}`, yes(round()), meta),
		"argument below":      call(`{"region":"eu","amount":{"of":[{"x":1,"x":2}]}}`, "", meta),
		"mirrored argument":   call(`{"region":"eu","region":"us"}`, "", meta),
		"answer":              call(`{"region":"eu","amount":5}`, round()+`,"inputResponses":{"sure":{"action":"decline"},"sure":{"action":"accept"}}`, meta),
		"member of an answer": call(`{"region":"eu","amount":5}`, round()+`,"inputResponses":{"sure":{"action":"decline","action":"accept"}}`, meta),
		"state":               call(`{"region":"eu","amount":5}`, yes(round())+`,"requestState":"x"`, meta),
		"other params":        call(`{"region":"eu","amount":5}`, `,"task":{},"task":{"ttl":1}`, meta),
		"trace":               call(`{"region":"eu","amount":5}`, "", meta+`,"traceparent":"a","traceparent":"b"`),
		"below _meta":         call(`{"region":"eu","amount":5}`, "", meta+`,"example.org/x":{"a":{"b":1,"b":2}}`),
		"capability":          call(`{"region":"eu","amount":5}`, "", strings.Replace(meta, `"elicitation":{}`, `"elicitation":{},"elicitation":{"form":{}}`, 1)),
	} {
		if !strings.Contains(answer, "duplicate") && !(strings.HasPrefix(name, "argument") && strings.Contains(answer, "made for another request")) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	if len(handled) != 1 {
		t.Error("handled:", handled)
	}
}
