package mcpdynamic_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// onlyAnn hides what is secret from everybody but ann.
func onlyAnn(ctx context.Context, _ mcpdynamic.List, key string) bool {
	secret := strings.Contains(key, "secret") || slices.Contains([]string{"cancel_all", "search_items", "count_stock", "review_order", "shop://readme", "shop://items/{sku}"}, key) || strings.HasPrefix(key, "shop://items/")
	return !secret || mcp.PrincipalFrom(ctx) == "ann"
}

// TestHidden lists and names, as a principal who may not see it, everything that is hidden: the
// answers are those for what does not exist.
func TestHidden(t *testing.T) {
	stored := cache.New(new(store), cache.Options{Tools: map[string]cache.Rule{"secret_tool": {TTL: time.Hour, Scope: cache.Public}}})
	srv, set := newServer(mcpdynamic.Options{Visible: onlyAnn}, mcp.Options{Middleware: []mcp.Middleware{mcpcache.Middleware(stored)}, Tasks: mcptask.New(mcptask.Options{})})
	var mu sync.Mutex
	calls := map[string]int{}
	secret := mcpdynamic.Tool{
		Name: "secret_tool", InputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`),
		Call: func(ctx context.Context, _ runtime.Raw) (runtime.Appender, error) {
			mu.Lock()
			defer mu.Unlock()
			calls[mcp.PrincipalFrom(ctx)]++
			return mcpdynamic.Text("it is 42"), nil
		},
	}
	read := func(context.Context, string) (runtime.Appender, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: "test://secret", Text: "it is 42"}}}, nil
	}
	err := errors.Join(set.AddTools(secret, echo("open")),
		set.AddResources(mcpdynamic.Resource{URI: "test://secret", Name: "secret", Read: read}),
		set.ReplaceTemplates(nil, mcpdynamic.Template{URITemplate: "test://secret/{x}", Name: "secrets", Read: read}),
		set.AddPrompts(mcpdynamic.Prompt{Name: "secret_prompt", Get: func(context.Context, map[string]string) (runtime.Appender, error) { return &mcp.GetPromptResult{}, nil }}))
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"1": "ann", "2": "bob"})}))
	t.Cleanup(web.Close)
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20251125, mcp.Revision20260728} {
		t.Run(revision, func(t *testing.T) {
			connect := func(token string) *mcpclient.Client {
				c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(web.URL, mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + token}}}), mcpclient.Options{Revisions: []string{revision}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				return c
			}
			ann, bob := connect("1"), connect("2")
			if got := everything(t, ann); !strings.Contains(got, "secret_tool") || !strings.Contains(got, "test://secret") || !strings.Contains(got, "cancel_all") {
				t.Errorf("ann sees %s", got)
			}
			if result, err := ann.CallTool(t.Context(), "secret_tool", mcpdynamic.JSON(`{"a":"b"}`)); err != nil || textOf(result) != "it is 42" {
				t.Errorf("ann gets %v, %v", result, err)
			}
			if got := everything(t, bob); strings.Contains(got, "secret") || strings.Contains(got, "cancel_all") || strings.Contains(got, "review_order") {
				t.Errorf("bob sees %s", got)
			}
			for name, call := range map[string]func(ctx context.Context, known bool) error{
				"tool": func(ctx context.Context, known bool) error {
					_, err := bob.CallTool(ctx, pick(known, "secret_tool", "secrex_tool"), mcpdynamic.JSON(`{"a":"b"}`))
					return err
				},
				"static tool": func(ctx context.Context, known bool) error {
					_, err := bob.CallTool(ctx, pick(known, "cancel_all", "cancel_alx"), runtime.Raw{})
					return err
				},
				"tool with headers": func(ctx context.Context, known bool) error {
					_, err := bob.CallTool(ctx, pick(known, "search_items", "search_itemx"), mcpdynamic.JSON(`{"query":"a","region":"b"}`))
					return err
				},
				"task": func(ctx context.Context, known bool) error {
					_, err := bob.StartTool(ctx, pick(known, "count_stock", "count_stocx"), runtime.Raw{})
					return err
				},
				"resource": func(ctx context.Context, known bool) error {
					_, err := bob.ReadResource(ctx, pick(known, "test://secret", "test://secrex"))
					return err
				},
				"static resource": func(ctx context.Context, known bool) error {
					_, err := bob.ReadResource(ctx, pick(known, "shop://readme", "shop://readmx"))
					return err
				},
				"template": func(ctx context.Context, known bool) error {
					_, err := bob.ReadResource(ctx, pick(known, "shop://items/ABC-1234", "shop://itemx/ABC-1234"))
					return err
				},
				"prompt": func(ctx context.Context, known bool) error {
					_, err := bob.GetPrompt(ctx, pick(known, "secret_prompt", "secrex_prompt"), nil)
					return err
				},
				"completion": func(ctx context.Context, known bool) error {
					_, err := bob.CompletePrompt(ctx, pick(known, "review_order", "review_ordex"), "orderId", "1", nil)
					return err
				},
				"subscription": func(ctx context.Context, known bool) error {
					s, err := bob.Listen(ctx, mcpclient.Changes{URIs: []string{pick(known, "test://secret", "test://secrex")}})
					if err != nil {
						return err
					}
					defer s.Close()
					if len(s.Agreed.URIs) != 0 && known {
						return errors.New("agreed")
					}
					return nil
				},
			} {
				known, unknown := call(t.Context(), true), call(t.Context(), false)
				if name == "subscription" { // any URI can be subscribed to in the stateless era, but is not agreed
					if known != nil && known.Error() == "agreed" {
						t.Errorf("%s: agreed", name)
					}
					continue
				}
				if shape(known) == "" || shape(known) != shape(unknown) {
					t.Errorf("%s: bob can tell %v from %v", name, known, unknown)
				}
			}
		})
	}
	if calls["bob"] != 0 || calls["ann"] == 0 {
		t.Errorf("the secret tool was called %v", calls)
	}
}

func pick(known bool, yes, no string) string {
	if known {
		return yes
	}
	return no
}

// shape returns an error without the name in it.
func shape(err error) string {
	e, ok := errors.AsType[*runtime.Error](err)
	if !ok {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	text := e.Error() + e.Data.String()
	for _, name := range []string{"secret", "secrex", "cancel_all", "cancel_alx", "search_items", "search_itemx", "count_stock", "count_stocx", "readme", "readmx", "itemx", "items", "review_order", "review_ordex"} {
		text = strings.ReplaceAll(text, name, "NAME")
	}
	return text
}

// everything returns the keys of all lists.
func everything(t *testing.T, c *mcpclient.Client) string {
	t.Helper()
	all := toolNames(t, c)
	for v, err := range c.ListPrompts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v.Name)
	}
	for v, err := range c.ListResources(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v.URI)
	}
	for v, err := range c.ListTemplates(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v.URITemplate)
	}
	return strings.Join(all, " ")
}

// TestPrivate: lists that differ from client to client must not be shared by caches, although the
// schema says public.
func TestPrivate(t *testing.T) {
	for _, tt := range []struct {
		o    mcpdynamic.Options
		want string
	}{{mcpdynamic.Options{}, `"cacheScope":"public"`}, {mcpdynamic.Options{Visible: onlyAnn}, `"cacheScope":"private"`}} {
		set := mcpdynamic.New(tt.o)
		srv := toolbox.NewServer(box{}, mcp.Options{Dynamic: set})
		answer := runtime.NewDispatcher(srv, runtime.Options{}).Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if !strings.Contains(string(answer), tt.want) {
			t.Errorf("got %s, want %s", answer, tt.want)
		}
	}
}

// store is a [cache.Store] without bounds of time or size.
type store struct{ sync.Map }

func (s *store) Get(key string) ([]byte, bool) {
	v, ok := s.Load(key)
	b, _ := v.([]byte)
	return b, ok
}

func (s *store) Set(key string, value []byte, _ time.Duration) { s.Store(key, value) }
