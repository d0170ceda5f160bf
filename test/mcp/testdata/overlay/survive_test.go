//lint:file-ignore SA1019 deprecated types are tested too

package mcp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/rpcgen-go/rpcgen/test/mcp/rpc"
)

// survivors are values with what a reader does not know: it comes out as it went in.
var survivors = map[string]struct {
	read subject
	text string
}{
	"content of a tool, 2026-07-28":    {value[mcp.CallToolResult](), `{"resultType":"complete","content":[FUTURE]}`},
	"content of a prompt, 2026-07-28":  {value[mcp.PromptMessage](), `{"role":"user","content":FUTURE}`},
	"sampled content, 2026-07-28":      {value[mcp.CreateMessageResult](), `{"role":"user","content":FUTURE,"model":"m"}`},
	"message to sample, 2026-07-28":    {value[mcp.SamplingMessage](), `{"role":"user","content":[FUTURE]}`},
	"content in content":               {value[mcp.ToolResultContent](), `{"type":"tool_result","toolUseId":"1","content":[FUTURE]}`},
	"reason to stop, 2026-07-28":       {value[mcp.CreateMessageResult](), `{"role":"user","content":FUTURE,"model":"m","stopReason":"bored"}`},
	"kind of result":                   {value[mcp.Result](), `{"resultType":"task"}`},
	"members of a result, 2026-07-28":  {value[mcp.CompleteResult](), `{"resultType":"complete","completion":{"values":[]},"x":FUTURE}`},
	"members of metadata, 2026-07-28":  {value[mcp.NotificationParams](), `{"_meta":{"traceparent":"00-1-2-3"}}`},
	"metadata of a tool":               {value[mcp.Tool](), `{"name":"t","inputSchema":{"type":"object"},"_meta":{"x":FUTURE}}`},
	"capabilities, 2026-07-28":         {value[mcp.ClientCapabilities](), `{"elicitation":{},"x":FUTURE}`},
	"keywords of a schema, 2026-07-28": {value[mcp.Tool](), `{"name":"t","inputSchema":{"type":"object","oneOf":[FUTURE]},"outputSchema":{"type":"array"}}`},
	"any JSON as a result":             {value[mcp.CallToolResult](), `{"resultType":"complete","content":[],"structuredContent":null}`},
	"null and fractions as settings":   {value[mcp.ClientCapabilities](), `{"extensions":{"a/b":{"x":null,"y":0.5}}}`},
	"an id of any size":                {value[mcp.CancelledNotificationParams](), `{"requestId":123456789012345678901234567890}`},
}

// TestSurvive reads and writes what the protocol lets appear and the schema does not know.
func TestSurvive(t *testing.T) {
	for name, s := range survivors {
		text := []byte(strings.ReplaceAll(s.text, "FUTURE", future))
		again, err := s.read(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(parsed(t, text), parsed(t, again)); d != "" {
			t.Errorf("%s (-read +written):\n%s", name, d)
		}
	}
}

// TestOutcome reads results whose kind is missing or not known.
func TestOutcome(t *testing.T) {
	read := result((*mcp.Client).ToolsCall, mcp.CallToolRequestParams{}, mcp.AppendCallToolOutcome)
	again, err := read([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	if err != nil || !strings.Contains(string(again), `"resultType":"complete"`) {
		t.Errorf("a missing kind is complete, not %s, %v", again, err)
	}
	if again, err := read([]byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","content":[]}}`)); err == nil {
		t.Errorf("a kind that is not known is read as %s", again)
	}
}
