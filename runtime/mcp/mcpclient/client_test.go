package mcpclient_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// eras runs a test with servers of either era, and with one that serves both.
func eras(t *testing.T, test func(t *testing.T, era mcp.Era, change func(*mcp.Info))) {
	t.Helper()
	t.Run("stateless", func(t *testing.T) {
		test(t, mcp.Stateless, func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20260728} })
	})
	t.Run("handshake", func(t *testing.T) {
		test(t, mcp.Handshake, func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20250326, mcp.Revision20251125} })
	})
	t.Run("both", func(t *testing.T) { test(t, mcp.Stateless, nil) })
}

// answering are the options of a client that answers whatever it is asked.
func answering() mcpclient.Options {
	return mcpclient.Options{
		Name: "tester", Version: "1", Logger: shop.Quiet,
		OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			var r mcp.ElicitResult
			err := wire.UnmarshalCopy([]byte(`{"action":"accept","content":{"name":"Ann"}}`), &r)
			return r, err
		},
		OnSample: func(context.Context, mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error) {
			return mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "hi"}}, nil
		},
		OnRoots: func(context.Context) (mcp.ListRootsResult, error) {
			return mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home"}}}, nil
		},
	}
}

// connect returns a client of a server in memory, which ends with the test.
func connect(t *testing.T, s *shop.Shop, o mcp.Options, co mcpclient.Options) *mcpclient.Client {
	t.Helper()
	o.Logger = shop.Quiet
	srv := mcp.NewServer(s, o)
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), co)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	return c
}

// names collects the names of a list.
func names[T any](t *testing.T, list iter.Seq2[T, error], name func(T) string) string {
	t.Helper()
	var all []string
	for v, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name(v))
	}
	return strings.Join(all, " ")
}

func TestClientLists(t *testing.T) {
	eras(t, func(t *testing.T, era mcp.Era, change func(*mcp.Info)) {
		c := connect(t, &shop.Shop{Change: change}, mcp.Options{PageSize: 2}, mcpclient.Options{Logger: shop.Quiet})
		if c.Era() != era {
			t.Errorf("it speaks %s, want %s", c.Era(), era)
		}
		if s := c.Server(); s.Name != "shop" || s.Title != "Shop" || s.Instructions != "Search first." || !s.Capabilities.Has("tools") {
			t.Errorf("the server is %+v", s)
		}
		got := []string{
			names(t, c.ListTools(t.Context()), func(v mcpclient.Tool) string { return v.Name }),
			names(t, c.ListResources(t.Context()), func(v mcpclient.Resource) string { return v.URI }),
			names(t, c.ListTemplates(t.Context()), func(v mcpclient.ResourceTemplate) string { return v.URITemplate }),
			names(t, c.ListPrompts(t.Context()), func(v mcpclient.Prompt) string { return v.Name }),
		}
		want := []string{
			"search_items place_order misbehave report interview", "shop://catalogue shop://logo shop://terms", "shop://items/{sku}", "review_order greet",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestClientCalls(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		c := connect(t, &shop.Shop{Change: change}, mcp.Options{}, answering())
		ctx := t.Context()
		for _, call := range []struct{ tool, arguments, want string }{
			{"search_items", `{"query":"tea"}`, `{"items":["tea"],"more":false}`},
			{"place_order", `{"sku":"A-1"}`, `{"orderedBy":"Ann"}`},
			{"interview", `null`, `{"root":"file:///home","model":"m","name":"Ann"}`},
		} {
			result, err := c.CallTool(ctx, call.tool, shop.Raw(call.arguments))
			if got, _ := result.StructuredContent.Get(); err != nil || got.String() != call.want {
				t.Errorf("%s: got %s, %v, want %s", call.tool, got, err, call.want)
			}
		}
		if result, err := c.CallTool(ctx, "place_order", shop.Raw(`{"sku":"GONE"}`)); err != nil || result.IsError != runtime.Some(true) {
			t.Errorf("got %+v, %v", result, err)
		}
		if _, err := c.CallTool(ctx, "serach_items", shop.Raw("null")); code(err) != runtime.CodeInvalidParams {
			t.Errorf("got %v", err)
		}
		resource, err := c.ReadResource(ctx, "shop://items/A-1")
		if err != nil || len(resource.Contents) != 1 || resource.Contents[0].(*mcp.TextResourceContents).Text != "item A-1" {
			t.Errorf("got %+v, %v", resource, err)
		}
		prompt, err := c.GetPrompt(ctx, "review_order", map[string]string{"orderId": "7"})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != "Check 7" {
			t.Errorf("got %+v, %v", prompt, err)
		}
		found, err := c.CompletePrompt(ctx, "review_order", "orderId", "al", nil)
		if err != nil || strings.Join(found.Values, " ") != "alpha Albert" {
			t.Errorf("got %+v, %v", found, err)
		}
		found, err = c.CompleteTemplate(ctx, "shop://items/{sku}", "sku", "x", map[string]string{"a": "y"})
		if err != nil || len(found.Values) != 100 || found.Values[0] != "xy" || !found.HasMore {
			t.Errorf("got %+v, %v", found, err)
		}
		if err := c.Ping(ctx); err != nil {
			t.Error(err)
		}
	})
}

// code returns the code of an error that a server answered.
func code(err error) int64 {
	if e, ok := errors.AsType[*runtime.Error](err); ok {
		return e.Code
	}
	return 0
}

func TestClientHears(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		synctest.Test(t, func(t *testing.T) {
			var heard []string
			o := mcpclient.Options{
				Logger: shop.Quiet, LogLevel: "warning",
				OnLog: func(_ context.Context, m mcpclient.LogMessage) {
					heard = append(heard, m.Level+" "+m.Logger+" "+m.Data.String())
				},
				OnListChanged:     func(_ context.Context, l mcpclient.List) { heard = append(heard, string(l)) },
				OnResourceUpdated: func(_ context.Context, uri string) { heard = append(heard, uri) },
			}
			srv := mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: shop.Quiet})
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), o)
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			defer c.Close()
			expect := func(want ...string) {
				t.Helper()
				synctest.Wait()
				if !slices.Equal(heard, want) {
					t.Errorf("heard %q, want %q", heard, want)
				}
				heard = nil
			}
			ctx := mcpclient.WithProgress(t.Context(), func(p mcpclient.ProgressReport) { heard = append(heard, p.Message) })
			if _, err := c.CallTool(ctx, "report", shop.Raw("null")); err != nil {
				t.Fatal(err)
			}
			expect("", "halfway", `warning shop "low stock"`, `error  {"msg":"on fire","where":"kitchen"}`)

			s, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true, URIs: []string{"shop://logo"}})
			if err != nil || !s.Agreed.Tools || !slices.Equal(s.Agreed.URIs, []string{"shop://logo"}) {
				t.Fatalf("got %+v, %v", s, err)
			}
			srv.ToolsChanged()
			srv.ResourceUpdated("shop://logo")
			srv.ResourceUpdated("shop://terms")
			expect("tools", "shop://logo")
			if err := s.Close(); err != nil || s.Err() != nil {
				t.Error(err, s.Err())
			}
			srv.ResourceUpdated("shop://logo")
			expect()
		})
	})
}
