package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// statelessMeta is the _meta of a stateless request.
const statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// post answers a message as one that came with these headers, newline-separated.
func post(t testing.TB, srv *mcp.Server, headers, msg string) (string, transport.Outcome) {
	t.Helper()
	h := http.Header{}
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		h.Add(name, value)
	}
	var o transport.Outcome
	ctx := transport.WithOutcome(protocol.WithHTTP(t.Context(), mirror.Headers(h)), &o)
	answer := runtime.NewDispatcher(srv, runtime.Options{Logger: shop.Quiet}).Dispatch(ctx, nil, []byte(msg))
	return string(answer), o
}

func newServer(words string) *mcp.Server { return mcp.NewServer(shop.Configure(words + ":")) }

// TestHeaders compares what HTTP headers say with what requests do (basic/transports/streamable-http, Server Validation).
func TestHeaders(t *testing.T) {
	const (
		version = "MCP-Protocol-Version: 2026-07-28\n"
		call    = version + "Mcp-Method: tools/call\nMcp-Name: search_items\n"
	)
	tool := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"x"` + arguments + `},` + statelessMeta + `}}`
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{` + statelessMeta + `}}`
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"shop://items/ä",` + statelessMeta + `}}`
	for name, c := range map[string]struct {
		headers, msg string
		code         int64 // 0 if the message is accepted
		status       int
	}{
		"all well":                  {call, tool(""), 0, 0},
		"names in any case":         {"mcp-protocol-version: 2026-07-28\nMCP-METHOD: prompts/list", list, 0, 0},
		"spaces around":             {version + "Mcp-Method:  tools/call \nMcp-Name: \tsearch_items  ", tool(""), 0, 0},
		"no meta before headers":    {"", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, -32602, 400},
		"no meta and no name":       {call, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, -32602, 400},
		"no version":                {"Mcp-Method: prompts/list", list, -32020, 400},
		"another version":           {"MCP-Protocol-Version: 2025-11-25\nMcp-Method: prompts/list", list, -32020, 400},
		"version twice":             {version + version + "Mcp-Method: prompts/list", list, -32020, 400},
		"header before support":     {version, strings.ReplaceAll(list, "2026-07-28", "v999.0.0"), -32020, 400},
		"unsupported in both":       {"MCP-Protocol-Version: v999.0.0", strings.ReplaceAll(list, "2026-07-28", "v999.0.0"), -32022, 400},
		"no method":                 {version, list, -32020, 400},
		"another method":            {version + "Mcp-Method: tools/list", list, -32020, 400},
		"method in another case":    {version + "Mcp-Method: PROMPTS/LIST", list, -32020, 400},
		"method before unknown":     {version + "Mcp-Method: x", strings.ReplaceAll(list, "prompts/list", "y"), -32020, 400},
		"unknown method":            {version + "Mcp-Method: y", strings.ReplaceAll(list, "prompts/list", "y"), -32601, 404},
		"removed method":            {version + "Mcp-Method: ping", strings.ReplaceAll(list, "prompts/list", "ping"), -32601, 404},
		"no name":                   {version + "Mcp-Method: tools/call", tool(""), -32020, 400},
		"another name":              {version + "Mcp-Method: tools/call\nMcp-Name: report", tool(""), -32020, 400},
		"encoded name":              {version + "Mcp-Method: resources/read\nMcp-Name: =?base64?c2hvcDovL2l0ZW1zL8Ok?=", read, 0, 0},
		"raw name beyond ASCII":     {version + "Mcp-Method: resources/read\nMcp-Name: shop://items/ä", read, -32020, 400},
		"no name in the body":       {version + "Mcp-Method: tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + statelessMeta + `}}`, -32602, 0},
		"param":                     {call + "Mcp-Param-Region: us", tool(`,"region":"us"`), 0, 0},
		"param encoded":             {call + "Mcp-Param-Region: =?base64?SGVsbG8=?=", tool(`,"region":"Hello"`), 0, 0},
		"param badly padded":        {call + "Mcp-Param-Region: =?base64?SGVsbG8?=", tool(`,"region":"Hello"`), -32020, 400},
		"param with bad characters": {call + "Mcp-Param-Region: =?base64?SGVs!!!bG8=?=", tool(`,"region":"Hello"`), -32020, 400},
		"param without prefix":      {call + "Mcp-Param-Region: SGVsbG8=", tool(`,"region":"SGVsbG8="`), 0, 0},
		"param without suffix":      {call + "Mcp-Param-Region: =?base64?SGVsbG8=", tool(`,"region":"=?base64?SGVsbG8="`), 0, 0},
		"param missing":             {call, tool(`,"region":"us"`), -32020, 400},
		"param of another value":    {call + "Mcp-Param-Region: eu", tool(`,"region":"us"`), -32020, 400},
		"param that is null":        {call, tool(`,"region":null`), 0, 0},
		"param of nothing":          {call + "Mcp-Param-Region: us", tool(""), -32020, 400},
		"integers by value":         {call + "Mcp-Param-Page: 42.0", tool(`,"page":42`), 0, 0},
		"integers in the body":      {call + "Mcp-Param-Page: 42", tool(`,"page":4.2e1`), 0, 0},
		"another integer":           {call + "Mcp-Param-Page: 43", tool(`,"page":42`), -32020, 400},
		"no integer":                {call + "Mcp-Param-Page: 42x", tool(`,"page":42`), -32020, 400},
		"boolean":                   {call + "Mcp-Param-Fresh: true", tool(`,"fresh":true`), 0, 0},
		"another boolean":           {call + "Mcp-Param-Fresh: false", tool(`,"fresh":true`), -32020, 400},
		"an argument of no kind":    {call, tool(`,"fresh":"yes"`), 0, 0},
	} {
		answer, got := post(t, newServer(""), c.headers, c.msg)
		if want := (transport.Outcome{Failed: c.code != 0, Code: c.code, HTTPStatus: c.status}); got != want {
			t.Errorf("%s: %+v, want %+v: %s", name, got, want, answer)
		}
		if !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":1,`) {
			t.Errorf("%s: the id is not echoed: %s", name, answer)
		}
	}
}

// TestStatuses lists the HTTP statuses of errors that need no headers.
func TestStatuses(t *testing.T) {
	for msg, want := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + statelessMeta + `}}`:                                              0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"A"},` + statelessMeta + `}}`: 400,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`:                                     400,
		`{"jsonrpc":"2.0","id":1,"method":"nothing","params":{` + statelessMeta + `}}`:                                                 404,
	} {
		var o transport.Outcome
		ctx := transport.WithOutcome(t.Context(), &o)
		answer := runtime.NewDispatcher(newServer(""), runtime.Options{Logger: shop.Quiet}).Dispatch(ctx, nil, []byte(msg))
		if o.HTTPStatus != want {
			t.Errorf("%s: %d, want %d: %s", msg, o.HTTPStatus, want, answer)
		}
	}
}
