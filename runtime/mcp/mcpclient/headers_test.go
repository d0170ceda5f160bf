package mcpclient_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// headed is a connection that has headers, and notes them.
type headed struct {
	runtime.Conn
	seen *[]string
}

func (h headed) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	method, _ := wire.PeekAt(msg).In("method").Text()
	line := method
	for _, m := range mcpclient.HeadersFrom(ctx) {
		line += "|" + m.Name + ": " + m.Value
	}
	*h.seen = append(*h.seen, line)
	return h.Conn.Call(ctx, id, msg)
}

func (h headed) Close() error { return h.Conn.(interface{ Close() error }).Close() }

// throughHeaders is a dialer of srv that notes headers.
func throughHeaders(s *mcp.Server, seen *[]string) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		conn, err := mcpclient.InMemory(s)(ctx, inbound)
		return headed{conn, seen}, err
	}
}

func TestClientHeaders(t *testing.T) {
	eras(t, func(t *testing.T, era mcp.Era, change func(*mcp.Info)) {
		srv := mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: shop.Quiet})
		var seen []string
		c, err := mcpclient.Connect(t.Context(), throughHeaders(srv, &seen), mcpclient.Options{Logger: shop.Quiet})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		seen = nil
		names(t, c.ListTools(t.Context()), func(v mcpclient.Tool) string { return v.Name })
		c.CallTool(t.Context(), "search_items", shop.Raw(`{"query":"x","region":" Ü ","page":42,"fresh":false}`))
		c.CallTool(t.Context(), "search_items", shop.Raw(`{"query":"x","region":null,"page":"3"}`))
		c.ReadResource(t.Context(), "shop://items/a b")
		c.GetPrompt(t.Context(), "greet", nil)
		want := "tools/list|MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/list\n" +
			"tools/call|MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: search_items|Mcp-Param-Region:  Ü |Mcp-Param-Page: 42|Mcp-Param-Fresh: false\n" +
			"tools/call|MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: search_items\n" +
			"resources/read|MCP-Protocol-Version: 2026-07-28|Mcp-Method: resources/read|Mcp-Name: shop://items/a b\n" +
			"prompts/get|MCP-Protocol-Version: 2026-07-28|Mcp-Method: prompts/get|Mcp-Name: greet"
		if era == mcp.Handshake {
			const v = "|MCP-Protocol-Version: 2025-11-25"
			want = "tools/list" + v + "\ntools/call" + v + "\ntools/call" + v + "\nresources/read" + v + "\nprompts/get" + v
		}
		if got := strings.Join(seen, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// TestClientDropsTools: those whose headers cannot be sent are left out where there are headers, and nowhere else.
func TestClientDropsTools(t *testing.T) {
	good := map[string]string{
		"plain":    `{"type":"object","properties":{"a":{"type":"string"}}}`,
		"annotate": `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"integer","x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C.d"}}}`,
		"nested":   `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"R"}}}}}`,
		"named":    `{"type":"object","properties":{"x-mcp-header":{"type":"string"}}}`,
		"example":  `{"type":"object","properties":{"a":{"type":"object","default":{"x-mcp-header":"R"}}}}`,
	}
	bad := map[string]string{
		"empty":   `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"no_text": `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":1}}}`,
		"object":  `{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		"array":   `{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"A"}}}`,
		"null":    `{"type":"object","properties":{"a":{"type":"null","x-mcp-header":"A"}}}`,
		"number":  `{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		"untyped": `{"type":"object","properties":{"a":{"x-mcp-header":"A"}}}`,
		"twice":   `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"string","x-mcp-header":"myfield"}}}`,
		"space":   `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"My Region"}}}`,
		"colon":   `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region:Primary"}}}`,
		"accent":  `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Région"}}}`,
		"control": `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region\t1"}}}`,
		"items":   `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		"oneof":   `{"type":"object","properties":{"a":{"oneOf":[{"type":"string","x-mcp-header":"A"}]}}}`,
		"defs":    `{"type":"object","$defs":{"d":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}`,
		"root":    `{"type":"object","x-mcp-header":"A"}`,
	}
	var tools []string
	for _, group := range []map[string]string{good, bad} {
		for name, schema := range group {
			tools = append(tools, `{"name":"`+name+`","inputSchema":`+schema+`}`)
		}
	}
	srv := mcp.NewServer(&shop.Shop{Change: func(i *mcp.Info) { i.Tools = "[" + strings.Join(tools, ",") + "]" }}, mcp.Options{Logger: shop.Quiet})
	var seen []string
	for _, c := range []struct {
		dial mcpclient.Dialer
		want int
	}{{throughHeaders(srv, &seen), len(good)}, {mcpclient.InMemory(srv), len(good) + len(bad)}} {
		client, err := mcpclient.Connect(t.Context(), c.dial, mcpclient.Options{Logger: shop.Quiet})
		if err != nil {
			t.Fatal(err)
		}
		listed := strings.Fields(names(t, client.ListTools(t.Context()), func(v mcpclient.Tool) string { return v.Name }))
		if len(listed) != c.want {
			t.Errorf("listed %s", listed)
		}
		for _, name := range listed {
			if _, isBad := bad[name]; isBad && c.want == len(good) {
				t.Errorf("%s is listed", name)
			}
		}
		client.Close()
	}
}

// TestClientRelearnsHeaders: a mismatch has the client list the tools, and call again.
func TestClientRelearnsHeaders(t *testing.T) {
	var seen []string
	s := &script{answer: func(method string, _ wire.Peek) string {
		if method == "tools/list" {
			return `"result":{"tools":[{"name":"x","inputSchema":{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"A"}}}}]}`
		}
		if !strings.Contains(strings.Join(seen, "\n"), "Mcp-Param-A: 1") {
			return `"error":{"code":-32020,"message":"Header mismatch: Mcp-Param-A is missing"}`
		}
		return done
	}}
	dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		conn, err := s.dial(ctx, inbound)
		return headed{conn, &seen}, err
	}
	c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.CallTool(t.Context(), "x", shop.Raw(`{"a":1}`)); err != nil || s.methods() != "tools/call tools/list tools/call" {
		t.Errorf("got %v after %s", err, s.methods())
	}
}

// TestClientMirrors: what generated clients know of headers need not be listed.
func TestClientMirrors(t *testing.T) {
	s := &shop.Shop{}
	srv := mcp.NewServer(s, mcp.Options{Logger: shop.Quiet})
	var seen []string
	c, err := mcpclient.Connect(t.Context(), throughHeaders(srv, &seen), mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Mirror(s.Info().Headers)
	if _, err := c.CallTool(t.Context(), "search_items", shop.Raw(`{"query":"x","region":"west","page":7}`)); err != nil {
		t.Fatal(err)
	}
	const want = "tools/call|MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: search_items|Mcp-Param-Region: west|Mcp-Param-Page: 7"
	if len(seen) != 1 || seen[0] != want {
		t.Errorf("got %s", seen)
	}
}
