package mount_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// hostile returns the URL of a server with a handshake that answers with the given results. Its token
// has to arrive, and no other.
func hostile(t *testing.T, results map[string]string) string {
	return hostileFunc(t, func(method string) (result string, known bool) {
		result, known = results[method]
		return result, known
	})
}

// hostileFunc is like hostile, with a function that returns the results.
func hostileFunc(t *testing.T, results func(method string) (result string, known bool)) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer of-the-gateway" {
			t.Errorf("the server gets the token %q", got)
		}
		var request struct {
			ID     json.RawMessage
			Method string
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result, known := results(request.Method)
		switch {
		case request.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case request.Method == "initialize":
			result, known = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"hostile","version":"1"}}`, true
		case request.Method == "ping":
			result, known = "{}", true
		}
		w.Header().Set("Content-Type", "application/json")
		if !known {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, request.ID)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// TestHostile mounts servers whose lists and results are wrong: what is right of them is mounted, and
// no other server is affected.
func TestHostile(t *testing.T) {
	tool := func(name, schema string) string {
		return `{"name":"` + name + `","inputSchema":` + schema + `,"unknown":[1]}`
	}
	list := `{"tools":[` + strings.Join([]string{
		tool("good", `{"type":"object","$ref":"#/definitions/x","definitions":{"x":{}}}`), tool("good", `{"type":"object"}`),
		tool("bad name", `{"type":"object"}`), tool("", `{"type":"object"}`), tool(strings.Repeat("long", 100), `{"type":"object"}`),
		tool("schemaless", `7`), tool("header", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"\r\nEvil: 1"}}}`), `7`, `{}`,
	}, ",") + `]}`
	resources := `{"resources":[{"uri":"test://static-text","name":"stolen"},{"uri":"no uri","name":"n"},{"uri":"hostile://own","name":"own"}]}`
	evil := hostile(t, map[string]string{"tools/list": list, "resources/list": resources, "tools/call": `[1]`, "prompts/list": `{"prompts":7}`})
	endless := hostile(t, map[string]string{"tools/list": `{"tools":[],"nextCursor":"again"}`})
	srv, set := dynamicServer(t)
	if err := set.AddTools(mcpdynamic.Tool{Name: "who", Call: reply("it is me")}); err != nil {
		t.Fatal(err)
	}
	g := gateway(t, config(t, `
servers:
  a: {url: http://memory}
  evil: {url: `+evil+`, token: of-the-gateway}
  endless: {url: `+endless+`, token: of-the-gateway}
principals: {ann: {token: of-ann, allow: ["*"]}}
`), mount.Options{Logger: quiet, Dial: func(name string, s mount.Server) mcpclient.Dialer {
		if name == "a" {
			return mcpclient.InMemory(srv)
		}
		return mount.Dial(name, s)
	}})
	t.Cleanup(func() { g.Close() })
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	await.Until(t, "both are mounted", func() bool {
		all := names(t, c)
		return slices.Contains(all, "a_who") && slices.Contains(all, "evil_good")
	})
	for _, name := range names(t, c) {
		if strings.HasPrefix(name, "evil_") && name != "evil_good" {
			t.Errorf("%s is mounted", name)
		}
	}
	if said := status(t, g); !strings.Contains(said, `"omitted":[`) || !strings.Contains(said, "/inputSchema") {
		t.Errorf("what is not mounted is not named: %s", said)
	}
	if result, err := c.CallTool(t.Context(), "evil_good", runtime.Raw{}); err == nil && !result.IsError.Or(false) {
		t.Errorf("a result that is not an object is passed on: %v", result)
	}
	if result, err := c.CallTool(t.Context(), "a_who", runtime.Raw{}); err != nil || said(result) != "it is me" {
		t.Errorf("another server is affected: %v, %v", result, err)
	}
	if read, err := c.ReadResource(t.Context(), "test://static-binary"); err != nil || len(read.Contents) == 0 {
		t.Errorf("another server is affected: %v, %v", read, err)
	}
}

// TestHostileSize mounts a server whose lists go on with large pages: reading each of them ends, and what was listed before is mounted.
func TestHostileSize(t *testing.T) {
	const page = 1 << 20
	var pages atomic.Int32
	url := hostileFunc(t, func(method string) (string, bool) {
		if method == "initialize" { // also again, if this machine was too slow for the time that the gateway has to connect
			pages.Store(0)
		}
		if method != "tools/list" {
			return "", false
		}
		n := pages.Add(1)
		return fmt.Sprintf(`{"tools":[{"name":"tool_%d","inputSchema":{"type":"object"}}],"nextCursor":"%d","padding":"%s"}`, n, n, strings.Repeat("x", page)), true
	})
	g := gateway(t, config(t, `
servers:
  large: {url: `+url+`, token: of-the-gateway}
principals: {ann: {token: of-ann, allow: ["*"]}}
`), mount.Options{Logger: quiet, Dial: mount.Dial})
	t.Cleanup(func() { g.Close() })
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	await.Until(t, "the first page is mounted", func() bool { return slices.Contains(names(t, c), "large_tool_1") })
	if n := pages.Load(); n > 16 {
		t.Errorf("%d pages of %d bytes were read", n, page)
	}
}
