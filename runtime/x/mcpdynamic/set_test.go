package mcpdynamic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// box is a server with the static tools of the toolbox.
type box struct{ toolbox.UnimplementedServer }

func (box) CancelAll(context.Context) error { return nil }

// newServer returns a server of the toolbox and its set.
func newServer(o mcpdynamic.Options, so mcp.Options) (*mcp.Server, *mcpdynamic.Set) {
	set := mcpdynamic.New(o)
	so.Dynamic = set
	so.Logger = slog.New(slog.DiscardHandler)
	return toolbox.NewServer(box{}, so), set
}

// connections are the ways to reach a server: both eras, over each kind of transport.
func connections(t *testing.T, srv *mcp.Server, test func(t *testing.T, connect func(o mcpclient.Options) *mcpclient.Client)) {
	web := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"secret-of-ann": "ann", "secret-of-bob": "bob"})}))
	t.Cleanup(web.Close)
	for name, dial := range map[string]mcpclient.Dialer{
		"memory": mcpclient.InMemory(srv),
		"http":   mcphttp.Dial(web.URL, mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer secret-of-ann"}}}),
	} {
		for _, revision := range []string{mcp.Revision20250618, mcp.Revision20251125, mcp.Revision20260728} {
			t.Run(name+"/"+revision, func(t *testing.T) {
				test(t, func(o mcpclient.Options) *mcpclient.Client {
					o.Revisions = []string{revision}
					c, err := mcpclient.Connect(t.Context(), dial, o)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { c.Close() })
					return c
				})
			})
		}
	}
}

func echo(name string) mcpdynamic.Tool {
	return mcpdynamic.Tool{
		Name: name, Description: "Says it again.",
		InputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"text":{"type":"string","maxLength":5}},"required":["text"],"additionalProperties":false}`),
		Members:     mcpdynamic.JSON(`{"annotations":{"readOnlyHint":true},"_meta":{"example.org/cost":3},"name":"ignored"}`),
		Call: func(_ context.Context, arguments runtime.Raw) (runtime.Appender, error) {
			text, _ := wire.PeekAt([]byte(arguments.String())).In("text").Text()
			return mcpdynamic.Text(text), nil
		},
	}
}

func toolNames(t *testing.T, c *mcpclient.Client) (names []string) {
	t.Helper()
	for tool, err := range c.ListTools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

var static = []string{"search_items", "place_order", "reserve", "cancel_all", "count_stock", "look_up", "picture", "chart", "draw", "related", "introduce", "label", "frames", "explain", "measure", "retire"}

// TestTools adds and removes tools, while those of the schema stay, on every transport and revision.
func TestTools(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{PageSize: 4})
	connections(t, srv, func(t *testing.T, connect func(mcpclient.Options) *mcpclient.Client) {
		changed := make(chan mcpclient.List, 8)
		c := connect(mcpclient.Options{OnListChanged: func(_ context.Context, l mcpclient.List) { changed <- l }})
		listening, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true, Prompts: true})
		if err != nil {
			t.Fatal(err)
		}
		defer listening.Close()
		begin(t, srv, changed)
		if err := set.AddTools(echo("zeta"), echo("alpha")); err != nil {
			t.Fatal(err)
		}
		wait(t, changed, mcpclient.ListOfTools)
		if got, want := toolNames(t, c), append(slices.Clone(static), "alpha", "zeta"); !slices.Equal(got, want) {
			t.Errorf("tools are %v, want %v", got, want)
		}
		result, err := c.CallTool(t.Context(), "zeta", mcpdynamic.JSON(`{"text":"hallo"}`))
		if err != nil || textOf(result) != "hallo" {
			t.Errorf("got %v, %v", result, err)
		}
		result, err = c.CallTool(t.Context(), "zeta", mcpdynamic.JSON(`{"text":"too long"}`))
		if err != nil || !result.IsError.Or(false) || !strings.Contains(textOf(result), "/text") {
			t.Errorf("got %v, %v, want the violation of /text", result, err)
		}
		if _, err := c.CallTool(t.Context(), "cancel_all", runtime.Raw{}); err != nil {
			t.Errorf("a tool of the schema fails: %v", err)
		}
		if err := set.RemoveTools("alpha", "zeta", "nothing"); err != nil {
			t.Fatal(err)
		}
		wait(t, changed, mcpclient.ListOfTools)
		if got := toolNames(t, c); !slices.Equal(got, static) {
			t.Errorf("tools are %v, want %v", got, static)
		}
		var refused *runtime.Error
		if _, err := c.CallTool(t.Context(), "zeta", mcpdynamic.JSON(`{"text":"a"}`)); !errors.As(err, &refused) || refused.Code != runtime.CodeInvalidParams {
			t.Errorf("got %v, want the error for an unknown tool", err)
		}
	})
}

// begin waits until changes arrive: notifications/initialized is handled while further requests are.
func begin(t *testing.T, srv *mcp.Server, changed <-chan mcpclient.List) {
	t.Helper()
	for range 1000 {
		srv.ToolsChanged()
		select {
		case <-changed: // another one may be on its way, before that of the prompts
			srv.PromptsChanged()
			list := <-changed
			for list != mcpclient.ListOfPrompts {
				list = <-changed
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("no change arrives")
}

func wait[T comparable](t *testing.T, from <-chan T, want T) {
	t.Helper()
	if got := <-from; got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func textOf(r mcp.CallToolResult) string {
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// TestEntry compares the whole entry of an added tool.
func TestEntry(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	if err := set.AddTools(echo("echo")); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Result struct{ Tools []json.RawMessage }
	}
	answer := runtime.NewDispatcher(srv, runtime.Options{}).Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err := json.Unmarshal(answer, &list); err != nil || len(list.Result.Tools) != len(static)+1 {
		t.Fatalf("%v: %s", err, answer)
	}
	const want = `{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":5}},"required":["text"],"additionalProperties":false},"annotations":{"readOnlyHint":true},"_meta":{"example.org/cost":3}}`
	if got := string(list.Result.Tools[len(static)]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRefused adds entries that are invalid or whose names are taken.
func TestRefused(t *testing.T) {
	if err := mcpdynamic.New(mcpdynamic.Options{}).AddTools(echo("echo")); err == nil {
		t.Error("a set without a server takes a tool")
	}
	_, set := newServer(mcpdynamic.Options{MaxEntries: 3}, mcp.Options{})
	if err := set.AddTools(echo("echo")); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*mcpdynamic.Tool)) mcpdynamic.Tool {
		tool := echo("other")
		change(&tool)
		return tool
	}
	schema := func(text string) mcpdynamic.Tool {
		return with(func(t *mcpdynamic.Tool) { t.InputSchema = mcpdynamic.JSON(text) })
	}
	for want, tool := range map[string]mcpdynamic.Tool{
		`tool "reserve" cannot be added: the schema`:  echo("reserve"),
		`tool "echo" cannot be added: there is one`:   echo("echo"),
		`letters, digits, underscores`:                echo("not a name"),
		`tool "" cannot be added`:                     echo(""),
		`it has no Call`:                              with(func(t *mcpdynamic.Tool) { t.Call = nil }),
		`its Members are not an object`:               with(func(t *mcpdynamic.Tool) { t.Members = mcpdynamic.JSON(`[]`) }),
		`/annotations/readOnlyHint`:                   with(func(t *mcpdynamic.Tool) { t.Members = mcpdynamic.JSON(`{"annotations":{"readOnlyHint":1}}`) }),
		`/inputSchema/type: const: expected "object"`: schema(`{"type":"string"}`),
		`/properties/a~1b/pattern: expected a reg`:    schema(`{"type":"object","properties":{"a/b":{"pattern":"("}}}`),
		`/items/$ref: expected # or #/$defs/NAME`:     schema(`{"type":"object","items":{"$ref":"https://example.org/x"}}`),
		`leads back to its own schema`:                schema(`{"type":"object","allOf":[{"$ref":"#"}]}`),
		`/properties/a/type: expected null`:           schema(`{"type":"object","properties":{"a":{"type":"text"}}}`),
		`x-mcp-header`:                                schema(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`),
		`outputSchema`:                                with(func(t *mcpdynamic.Tool) { t.OutputSchema = mcpdynamic.JSON(`{"required":1}`) }),
	} {
		if err := set.AddTools(tool); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := set.AddTools(echo("a"), echo("b"), echo("c")); err == nil || !strings.Contains(err.Error(), "MaxEntries") {
		t.Errorf("got %v, want the limit", err)
	}
	if err := set.AddTools(echo("a"), echo("a")); err == nil {
		t.Error("the same name is added twice at once")
	}
	if set.After(0, "")[0].Key != "echo" || len(set.After(0, "")) != 1 {
		t.Error("a refused call of AddTools has added something")
	}
	unchecked := schema(`{"type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":true}}`)
	unchecked.Unchecked = true
	if err := set.AddTools(unchecked); err != nil {
		t.Errorf("an unchecked tool: %v", err)
	}
}

// TestPages changes the list between two pages: what exists all the time is in exactly one of them.
func TestPages(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{PageSize: 3})
	for i := range 20 {
		if err := set.AddTools(echo(fmt.Sprintf("tool-%02d", 2*i))); err != nil {
			t.Fatal(err)
		}
	}
	connections(t, srv, func(t *testing.T, connect func(mcpclient.Options) *mcpclient.Client) {
		seen := map[string]int{}
		n := 0
		for tool, err := range connect(mcpclient.Options{}).ListTools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			seen[tool.Name]++
			n++
			name := fmt.Sprintf("tool-%02d", n) // sometimes in front of the cursor, sometimes after it
			if n%2 == 1 {
				defer set.RemoveTools(name)
				if err := set.AddTools(echo(name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 20 {
			if name := fmt.Sprintf("tool-%02d", 2*i); seen[name] != 1 {
				t.Errorf("%s is listed %d times", name, seen[name])
			}
		}
		for _, name := range static {
			if seen[name] != 1 {
				t.Errorf("%s is listed %d times", name, seen[name])
			}
		}
	})
}

// TestCursors sends cursors that no page has.
func TestCursors(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{PageSize: 1})
	if err := set.AddTools(echo("echo")); err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{"", "x", "MHNub3RoaW5n", "MXNyZXNlcnZl", "MA", strings.Repeat("a", 10_000)} {
		answer := runtime.NewDispatcher(srv, runtime.Options{}).Dispatch(t.Context(), nil,
			[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"`+cursor+`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if !strings.Contains(string(answer), "/cursor") || len(answer) > 1000 {
			t.Errorf("the cursor %.20q is answered with %s", cursor, answer)
		}
	}
}
