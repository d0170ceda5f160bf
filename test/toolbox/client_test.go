package toolbox_test

import (
	"context"
	"errors"
	"log/slog"
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
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

var quiet = slog.New(slog.DiscardHandler)

// dialers returns how a server with the options o is reached in memory and over HTTP.
func dialers(t *testing.T, o runtime.Options) map[string]mcpclient.Dialer {
	server := toolbox.NewServer(box{}, mcp.Options{Logger: quiet})
	o.Logger = quiet
	h := mcphttp.NewHandler(server, mcphttp.Options{Runtime: o})
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		web.Close()
	})
	memory := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		a, b := pipe.New(0)
		s := runtime.NewSession(context.WithoutCancel(ctx), b, server, o)
		t.Cleanup(func() {
			s.Close()
			_ = s.Wait()
		})
		return runtime.NewSession(context.WithoutCancel(ctx), a, inbound, runtime.Options{Logger: quiet}), nil
	}
	return map[string]mcpclient.Dialer{"memory": memory, "HTTP": mcphttp.Dial(web.URL, mcphttp.ClientOptions{})}
}

// connected runs a test with a client of each era over dial.
func connected(t *testing.T, dial mcpclient.Dialer, o mcpclient.Options, test func(*testing.T, *toolbox.Client)) {
	for name, era := range map[string]mcp.Era{"stateless": mcp.Stateless, "handshake": mcp.Handshake} {
		t.Run(name, func(t *testing.T) {
			o.Era, o.Logger = era, quiet
			conn, err := mcpclient.Connect(t.Context(), dial, o)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			test(t, toolbox.NewClient(conn))
		})
	}
}

// eras runs a test with a client of each era, in memory and over HTTP, whose user answers questions with content.
func eras(t *testing.T, action, content string, test func(*testing.T, *toolbox.Client)) {
	for name, dial := range dialers(t, runtime.Options{}) {
		t.Run(name, func(t *testing.T) {
			connected(t, dial, mcpclient.Options{
				OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
					if !strings.HasPrefix(p.Message, "Order 2 x ABC-0001") {
						t.Error(p.Message)
					}
					var r mcp.ElicitResult
					return r, r.UnmarshalJSON([]byte(`{"action":"` + action + `"` + content + `}`))
				},
			}, test)
		})
	}
}

// TestContentAndOutput calls a tool that returns an output and content blocks, also as a task.
func TestContentAndOutput(t *testing.T) {
	eras(t, "accept", "", func(t *testing.T, c *toolbox.Client) {
		task, err := c.StartChart(t.Context(), toolbox.ChartInput{})
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range map[string]func() (toolbox.ChartResult, error){
			"call": func() (toolbox.ChartResult, error) { return c.Chart(t.Context(), toolbox.ChartInput{}) },
			"task": func() (toolbox.ChartResult, error) { return task.Wait(t.Context()) },
		} {
			out, err := call()
			if err != nil || out.Output.Counted != 7 || len(out.Content) != 3 {
				t.Fatal(name, out, err)
			}
			image, _ := out.Content[0].(*mcp.ImageContent)
			link, _ := out.Content[1].(*mcp.ResourceLink)
			text, _ := out.Content[2].(*mcp.TextContent)
			if string(image.Data) != "PNG" || link.URI != "shop://stats" || text.Text != "Seven." {
				t.Error(name, image, link, text)
			}
		}
		_, err = c.Chart(t.Context(), toolbox.ChartInput{Colour: runtime.Some(toolbox.ColourBlue)})
		if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError {
			t.Errorf("got %v, want an internal error: the output violates its rules", err)
		}
	})
}

// TestContentOnTheWire: the text of the output comes first, for clients that read no structured
// content, then the blocks.
func TestContentOnTheWire(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(toolbox.NewServer(box{}, mcp.Options{})), mcpclient.Options{Revisions: []string{revision}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		result, err := mcpclient.Call(t.Context(), c, "tools/call", wire.RawOf([]byte(`{"name":"chart"}`)))
		const want = `{"structuredContent":{"counted":7},"content":[{"type":"text","text":"{\"counted\":7}"},{"type":"image","data":"UE5H","mimeType":"image/png"},{"name":"stats","uri":"shop://stats","type":"resource_link"},{"type":"text","text":"Seven."}]`
		if err != nil || !strings.HasPrefix(result.String(), want) {
			t.Errorf("got  %s, %v\nwant %s", result, err, want)
		}
	}
}

// TestTools calls tools by the typed client.
func TestTools(t *testing.T) {
	eras(t, "accept", `,"content":{"ok":true,"extras":["card"]}`, func(t *testing.T, c *toolbox.Client) {
		out, err := c.SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "tool", Limit: 1})
		if err != nil || len(out.Items) != 1 || out.Items[0].Sku != "ABC-0001" || !out.More {
			t.Error(out, err)
		}
		_, err = c.SearchItems(t.Context(), toolbox.SearchItemsInput{})
		if _, ok := errors.AsType[*runtime.ParamsError](err); !ok {
			t.Error(err)
		}
		order, err := c.PlaceOrder(t.Context(), toolbox.PlaceOrderInput{Sku: "ABC-0001", Count: 2})
		if err != nil || order.OrderID != "ABC-0001-2-true-none" {
			t.Error(order, err)
		}
		found, err := c.LookUp(t.Context(), toolbox.Query{Text: "a"})
		if err != nil || found["text"] != "a" {
			t.Error(found, err)
		}
		picture, err := c.Picture(t.Context(), toolbox.PictureInput{Sku: "ABC-0001"})
		if err != nil || len(picture.Content) != 2 {
			t.Error(picture, err)
		}
		if err := c.Reserve(t.Context(), toolbox.ReserveInput{Sku: "ABC-0001"}); err != nil {
			t.Error(err)
		}
	})
}

// TestDeclaredErrors calls tools that fail.
func TestDeclaredErrors(t *testing.T) {
	eras(t, "decline", "", func(t *testing.T, c *toolbox.Client) {
		order := func(sku toolbox.Sku) error {
			_, err := c.PlaceOrder(t.Context(), toolbox.PlaceOrderInput{Sku: sku, Count: 2})
			return err
		}
		gone, ok := errors.AsType[*toolbox.OutOfStockError](order("ABC-0003"))
		if !ok || gone.Sku != "ABC-0003" {
			t.Error(gone)
		}
		closed, ok := errors.AsType[*toolbox.ClosedError](order("ABC-0004"))
		if !ok || !closed.Until.Equal(time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)) {
			t.Error(closed)
		}
		failure, ok := errors.AsType[*mcpclient.ToolFailure](order("ABC-0005"))
		if !ok || strings.Contains(failure.Error(), "1234") {
			t.Error(failure)
		}
		if failure, ok = errors.AsType[*mcpclient.ToolFailure](order("ABC-0001")); !ok || failure.Name != "NotAccepted" {
			t.Error(failure)
		}
		if _, ok := errors.AsType[*toolbox.TooManyError](c.Reserve(t.Context(), toolbox.ReserveInput{Sku: "ABC-0009"})); !ok {
			t.Error("a declared error without data is not recognised")
		}
		if err := c.CancelAll(t.Context()); err == nil {
			t.Error("a tool that is not implemented answers")
		}
	})
}

// declared reports an error of a client that is not the declared error E, that fits not, or that is not described by LookupError.
func declared[E runtime.Coder](t *testing.T, what string, err error, fits func(E) bool) {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok || !fits(e) {
		t.Errorf("%s: got %T %v", what, err, err)
		return
	}
	if info, ok := toolbox.LookupError(e.RPCError().Code); !ok || info.Name == "" {
		t.Errorf("%s: LookupError says nothing about %d", what, e.RPCError().Code)
	}
}

// TestProtocolErrors: clients get the declared error for an error of the protocol that a handler of a tool, resource or prompt returns, also
// in a task.
func TestProtocolErrors(t *testing.T) {
	eras(t, "cancel", "", func(t *testing.T, c *toolbox.Client) {
		ctx := t.Context()
		busy := func(e *toolbox.BusyError) bool { return e.RetryAfter == 7 }
		_, err := c.SearchItems(ctx, toolbox.SearchItemsInput{Query: "busy"})
		declared(t, "tool", err, busy)
		declared(t, "tool without result", c.Reserve(ctx, toolbox.ReserveInput{Sku: "ABC-0010"}), busy)
		_, err = c.Picture(ctx, toolbox.PictureInput{Sku: "ABC-0010"})
		declared(t, "tool with content", err, busy)
		_, err = c.ReadPage(ctx, toolbox.PageParams{Lang: "busy", Path: "x"})
		declared(t, "resource", err, busy)
		_, err = c.ReviewOrder(ctx, toolbox.ReviewOrderArguments{OrderID: "busy"})
		declared(t, "prompt", err, busy)
		task, err := c.StartCountStock(ctx, toolbox.CountStockInput{})
		if err == nil {
			_, err = task.Wait(ctx)
		}
		declared(t, "task", err, busy)
	})
}

// TestConditions: so they do for a condition, here a rate that is used up.
func TestConditions(t *testing.T) {
	hour := ratelimit.Rate{Calls: 1, Per: time.Hour}
	limits := ratelimit.Limits{
		Tools:   map[string]ratelimit.Rate{toolbox.ToolSearchItems: hour, toolbox.ToolCountStock: hour},
		Methods: map[string]ratelimit.Rate{"resources/read": hour, "prompts/get": hour},
	}
	for _, name := range []string{"memory", "HTTP"} {
		t.Run(name, func(t *testing.T) {
			connected(t, func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				return dialers(t, runtime.Options{Limiter: ratelimit.New(limits).Middleware})[name](ctx, inbound)
			}, mcpclient.Options{}, func(t *testing.T, c *toolbox.Client) {
				for what, call := range map[string]func() error{
					"tool": func() error {
						_, err := c.SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "tool"})
						return err
					},
					"task":     func() error { _, err := c.StartCountStock(t.Context(), toolbox.CountStockInput{}); return err },
					"resource": func() error { _, err := c.ReadReadme(t.Context()); return err },
					"prompt": func() error {
						_, err := c.ReviewOrder(t.Context(), toolbox.ReviewOrderArguments{OrderID: "7"})
						return err
					},
				} {
					if err := call(); err != nil {
						t.Error(what, err)
					}
					declared(t, what, call(), func(e *toolbox.BusyError) bool { return e.RetryAfter > 3000 })
				}
			})
		})
	}
}

// TestResources reads resources, and gets a prompt, by the typed client.
func TestResources(t *testing.T) {
	eras(t, "cancel", "", func(t *testing.T, c *toolbox.Client) {
		all, err := c.ReadCatalogue(t.Context())
		if err != nil || !slices.EqualFunc(all, items, func(a, b toolbox.Item) bool { return a == b }) {
			t.Error(all, err)
		}
		item, err := c.ReadItem(t.Context(), toolbox.ItemParams{Sku: "ABC-0002"})
		if err != nil || item != items[1] {
			t.Error(item, err)
		}
		if _, err := c.ReadItem(t.Context(), toolbox.ItemParams{Sku: "ABC-9999"}); err == nil {
			t.Error("there is none")
		}
		_, err = c.ReadItem(t.Context(), toolbox.ItemParams{Sku: "nonsense"})
		if _, ok := errors.AsType[*runtime.ParamsError](err); !ok {
			t.Error(err)
		}
		page, err := c.ReadPage(t.Context(), toolbox.PageParams{Lang: "de/at", Path: "a b/ü?x"})
		if err != nil || page != "# de/at a b/ü?x" {
			t.Error(page, err)
		}
		swatch, err := c.ReadSwatch(t.Context(), toolbox.SwatchParams{Colour: toolbox.ColourBlue, Size: 3, Part: "top"})
		if err != nil || string(swatch) != "blue 3 top" {
			t.Error(string(swatch), err)
		}
		readme, err := c.ReadReadme(t.Context())
		if err != nil || readme != "read me" {
			t.Error(readme, err)
		}
		stats, err := c.ReadStats(t.Context())
		if err != nil || stats.Items != 2 {
			t.Error(stats, err)
		}
		whole, err := c.ReadAll(t.Context())
		if err != nil || len(whole.Contents) != 1 {
			t.Error(whole, err)
		}
		prompt, err := c.ReviewOrder(t.Context(), toolbox.ReviewOrderArguments{OrderID: "7"})
		if err != nil || len(prompt.Messages) != 1 {
			t.Error(prompt, err)
		}
	})
}
