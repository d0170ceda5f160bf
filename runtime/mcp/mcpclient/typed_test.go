package mcpclient_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// found is the output of search_items, which a generated client would have.
type found struct {
	items []string
	more  bool
}

func (f *found) DecodeJSON(r *wire.Reader) {
	*f = found{}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"items":`) {
			f.items = wire.Strings(r, f.items)
		}
		r.KeyBool(&o, 1, `"more":`, &f.more)
	}
	r.Need(&o, 0b11, "items\nmore")
}

func (f *found) CheckRules(vs *rule.Violations) {
	for _, s := range f.items {
		rule.Length(vs, "/items/0", s, 0, 10)
	}
}

// searchItems is what a generated client does.
func searchItems(ctx context.Context, c *mcpclient.Client, query string, limit float64) (out found, err error) {
	q := c.NewToolRequest("search_items", nil)
	defer q.Close(&err)
	rule.Length(q.Violations(), "/query", query, 1, 200)
	b := wire.AppendString(append(q.Arguments(), `{"query":`...), query)
	q.Send(ctx, append(wire.AppendFloat(append(b, `,"limit":`...), limit), '}'))
	for q.Structured(nil) {
		out.DecodeJSON(q.Reader())
		out.CheckRules(q.Violations())
	}
	return out, q.Err()
}

// placeOrder is what a generated client does for a tool that declares errors.
func placeOrder(ctx context.Context, c *mcpclient.Client, sku string) (err error) {
	q := c.NewToolRequest("place_order", nil)
	defer q.Close(&err)
	q.Send(ctx, append(wire.AppendString(append(q.Arguments(), `{"sku":`...), sku), '}'))
	q.NoResult(func(e *mcpclient.ToolFailure) error {
		if e.Name != "OutOfStock" {
			return e
		}
		declared := new(shop.OutOfStock)
		return e.Declared(declared, func(r *wire.Reader) {
			var o wire.Members
			for r.Object(&o); r.More(&o); {
				r.KeyString(&o, 0, `"sku":`, &declared.SKU)
			}
		})
	})
	return q.Err()
}

func TestTypedTools(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		c, ctx := connect(t, &shop.Shop{Change: change}, mcp.Options{}, mcpclient.Options{Logger: shop.Quiet}), t.Context()
		if out, err := searchItems(ctx, c, "tea", 5); err != nil || len(out.items) != 1 || out.items[0] != "tea" {
			t.Errorf("got %+v, %v", out, err)
		}
		_, err := searchItems(ctx, c, "", 5)
		if e, ok := errors.AsType[*runtime.ParamsError](err); !ok || e.Method != "tools/call search_items" || e.Violations[0].Pointer != "/query" {
			t.Errorf("got %v", err)
		}
		_, err = searchItems(ctx, c, "tea", math.NaN())
		if _, ok := errors.AsType[*wire.EncodeError](err); !ok {
			t.Errorf("got %v", err)
		}
		_, err = searchItems(ctx, c, "more than ten", 5)
		if e, ok := errors.AsType[*runtime.ResponseError](err); !ok || e.Violations[0].Pointer != "/items/0" {
			t.Errorf("got %v", err)
		}
		_, err = searchItems(ctx, c, "tea", 500)
		if e, ok := errors.AsType[*mcpclient.ToolFailure](err); !ok || e.Name != mcp.InvalidArguments || e.Text == "" || !e.HasData {
			t.Errorf("got %v", err)
		}
		if _, err = searchItems(ctx, c, "broken", 5); code(err) != runtime.CodeInternalError {
			t.Errorf("got %v", err)
		}
		err = placeOrder(ctx, c, "GONE")
		if e, ok := errors.AsType[*shop.OutOfStock](err); !ok || e.SKU != "GONE" {
			t.Errorf("got %v", err)
		}
		_, err = c.CallTool(ctx, "place_order", shop.Raw(`{"sku":"A-1"}`))
		if modern := c.Era() == mcp.Stateless; modern != (code(err) == mcp.CodeMissingCapability) {
			t.Errorf("got %v", err)
		}
	})
}

// TestTypedFaults: results that do not fit are told with the place, and text stands in for structured content.
func TestTypedFaults(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[],"structuredContent":{"items":["a"],"more":true}}`:                                   "",
		`{"content":[{"type":"text","text":"{\"items\":[\"a\"],\"more\":true}"}]}`:                         "",
		`{"content":[{"type":"text","text":"done"}]}`:                                                      "the response to tools/call search_items: it holds no structured content",
		`{"content":[],"structuredContent":{"items":[1],"more":true}}`:                                     "the response to tools/call search_items: the result does not fit the schema: /items/0: type: expected string, got number",
		`{"content":[],"structuredContent":{"items":"a"}}`:                                                 "the response to tools/call search_items: the result does not fit the schema: /items: type: expected array, got string; /more: required: expected member \"more\"",
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}`:               "the tool search_items failed: a\nb",
		`{"content":[],"isError":true,"_meta":{"io.github.rpcgen-go/error":{"name":"Odd","data":[1, 2]}}}`: "the tool search_items failed",
		`[]`: "the response to tools/call search_items: the result does not fit the schema: type: expected object, got array",
	} {
		s := &script{answer: func(string, wire.Peek) string { return `"result":` + result }}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := searchItems(t.Context(), c, "tea", 5); text(err) != want {
			t.Errorf("%s\n  got  %s\n  want %s", result, text(err), want)
		}
		c.Close()
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestTypedResources(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		c, ctx := connect(t, &shop.Shop{Change: change}, mcp.Options{}, mcpclient.Options{Logger: shop.Quiet}), t.Context()
		read := func(uri string, take func(*mcpclient.ResourceRequest)) (err error) {
			q := c.NewResourceRequest(uri, nil)
			defer q.Close(&err)
			q.Send(ctx)
			take(q)
			return q.Err()
		}
		var got string
		if err := read("shop://catalogue", func(q *mcpclient.ResourceRequest) {
			for q.JSON() {
				got = string(q.Reader().Text())
			}
		}); err != nil || got != `[{"sku":"A-1"}]` {
			t.Errorf("got %s, %v", got, err)
		}
		if err := read("shop://items/7", func(q *mcpclient.ResourceRequest) { got = q.Text() }); err != nil || got != "item 7" {
			t.Errorf("got %s, %v", got, err)
		}
		if err := read("shop://logo", func(q *mcpclient.ResourceRequest) { got = string(q.Blob()) }); err != nil || got != "\x01\x02\x03" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := read("shop://items/7", func(q *mcpclient.ResourceRequest) { q.Blob() }); text(err) != "the response to resources/read shop://items/7: its contents hold no blob" {
			t.Errorf("got %v", err)
		}
		if err := read("shop://items/7", func(q *mcpclient.ResourceRequest) {
			for q.JSON() {
				t.Error("it is not JSON")
			}
		}); err == nil {
			t.Error("it is not JSON")
		}
		var whole mcp.ReadResourceResult
		if err := read("shop://logo", func(q *mcpclient.ResourceRequest) { q.Whole(&whole) }); err != nil || len(whole.Contents) != 1 {
			t.Errorf("got %+v, %v", whole, err)
		}
		if err := read("shop://nothing", func(q *mcpclient.ResourceRequest) { q.Text() }); code(err) == 0 {
			t.Errorf("got %v", err)
		}
		var prompt mcp.GetPromptResult
		q := c.NewPromptRequest("greet", nil)
		q.SendEmpty(ctx)
		if q.Whole(&prompt); q.Err() != nil || len(prompt.Messages) != 1 {
			t.Errorf("got %+v, %v", prompt, q.Err())
		}
	})
}

func BenchmarkClient(b *testing.B) {
	for name, era := range map[string]mcp.Era{"stateless": mcp.Stateless, "handshake": mcp.Handshake} {
		b.Run(name, func(b *testing.B) {
			c, err := mcpclient.Connect(b.Context(), mcpclient.InMemory(mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet})), mcpclient.Options{Logger: shop.Quiet, Era: era})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := searchItems(b.Context(), c, "tea", 5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
