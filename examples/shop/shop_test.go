package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// TestSearching finds items, in a region and in all of them.
func TestSearching(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		out, err := c.SearchItems(t.Context(), rpc.SearchItemsInput{Query: "claw hammer", Limit: 5, Region: runtime.Some(rpc.RegionEU)})
		if err != nil || len(out.Items) != 1 || out.Items[0].Stock != 40 {
			t.Error(out, err)
		}
		item, err := c.ItemDetails(t.Context(), rpc.ItemDetailsInput{Sku: "HAM-0001"})
		if err != nil || item.Stock <= 40 || len(item.Regions) != 3 || !strings.Contains(item.Description, "hickory") {
			t.Error(item, err)
		}
		_, err = c.ItemDetails(t.Context(), rpc.ItemDetailsInput{Sku: "HAM-9999"})
		if unknown, ok := errors.AsType[*rpc.ItemUnknownError](err); !ok || unknown.Sku != "HAM-9999" {
			t.Error(err)
		}
	})
}

// TestBrowsing reads the catalogue in pages that fit, with the members that are asked for.
func TestBrowsing(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		first, err := c.BrowseItems(t.Context(), rpc.BrowseItemsInput{})
		if err != nil || len(first.Items) != 24 || first.Next.IsSet() || first.Items[0].Description.IsSet() {
			t.Error(first, err)
		}
		in := rpc.BrowseItemsInput{Region: runtime.Some(rpc.RegionEU), Members: []rpc.BrowseItemsInputMembersItem{"items.sku", "items.description", "items.regions"}}
		seen, pages := map[rpc.Sku]bool{}, 0
		for more := true; more; pages++ {
			page, err := c.BrowseItems(t.Context(), in)
			if err != nil || len(page.Items) == 0 {
				t.Fatal(page, err)
			}
			for _, item := range page.Items {
				seen[item.Sku.Or("")] = true
				if item.Name.IsSet() || !item.Description.IsSet() {
					t.Error(item)
				}
			}
			in.Cursor, more = page.Next, page.Next.IsSet()
		}
		if pages < 2 || len(seen) < 20 {
			t.Errorf("%d items on %d pages", len(seen), pages)
		}
	})
}

// TestOrdering orders what the user confirms, and nothing else.
func TestOrdering(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		asked := ""
		c.says = func(question string) (mcp.ElicitResult, error) {
			asked = question
			return mcpclient.AcceptForm(&rpc.PlaceOrderConfirmForm{Ok: true, Note: runtime.Some("ring twice")})
		}
		o, err := c.order(t.Context(), 2)
		if err != nil || o.Count != 2 || o.Cents != 4980 || o.Status != rpc.StatusPlaced || o.Note.Or("") != "ring twice" {
			t.Error(o, err)
		}
		if asked != "Order 2 x Claw hammer for EUR 49.80?" {
			t.Errorf("the user was asked %q", asked)
		}

		c.says = func(string) (mcp.ElicitResult, error) { return mcpclient.AcceptForm(&rpc.PlaceOrderConfirmForm{}) }
		if _, err := c.order(t.Context(), 2); !is[*rpc.NotConfirmedError](err) {
			t.Error(err)
		}
		c.says = func(string) (mcp.ElicitResult, error) { return mcp.ElicitResult{Action: "decline"}, nil }
		if _, err := c.order(t.Context(), 2); err == nil {
			t.Error("ordered, though the user declined")
		}

		c.says = func(question string) (mcp.ElicitResult, error) {
			t.Errorf("asked %q, though there is not enough", question)
			return yes(question)
		}
		out, ok := errors.AsType[*rpc.OutOfStockError](second(c.order(t.Context(), 1000)))
		if !ok || out.Left != 38 || out.Region != rpc.RegionEU {
			t.Error(out)
		}

		list, err := c.ListOrders(t.Context(), rpc.DefaultListOrdersInput())
		if err != nil || len(list.Orders) != 1 || list.Orders[0].ID != o.ID || list.More {
			t.Error(list, err)
		}
		cancelled, err := c.CancelOrder(t.Context(), rpc.CancelOrderInput{OrderID: o.ID})
		if err != nil || cancelled.Order.Status != rpc.StatusCancelled {
			t.Error(cancelled, err)
		}
		item, err := c.ReadItem(t.Context(), rpc.ItemParams{Sku: "HAM-0001"})
		if err != nil || item.Regions[1] != (rpc.RegionStock{Region: rpc.RegionEU, Stock: 40}) {
			t.Error(item, err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// TestOrderingUnderAKey orders once under a key, and asks once.
func TestOrderingUnderAKey(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		asked := 0
		c.says = func(question string) (mcp.ElicitResult, error) {
			asked++
			return yes(question)
		}
		in := rpc.PlaceOrderInput{Sku: "HAM-0001", Count: 2, Region: rpc.RegionEU, Key: runtime.Some("my hammers")}
		first, err := c.PlaceOrder(t.Context(), in)
		again, errAgain := c.PlaceOrder(t.Context(), in)
		if err != nil || errAgain != nil || first.Order.ID != again.Order.ID || asked != 1 {
			t.Error(first, err, again, errAgain, asked)
		}
		in.Count = 3
		if _, err := c.PlaceOrder(t.Context(), in); !is[*rpc.KeyTakenError](err) {
			t.Error(err)
		}
	})
}

// TestResources reads what there is, and hears of what changes.
func TestResources(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		all, err := c.ReadCatalogue(t.Context())
		if err != nil || len(all) != 24 {
			t.Error(all, err)
		}
		if _, err := c.ReadItem(t.Context(), rpc.ItemParams{Sku: "HAM-9999"}); err == nil {
			t.Error("there is no such item")
		}
		uri := rpc.ItemURI(rpc.ItemParams{Sku: "HAM-0001"})
		listening, err := c.conn.Listen(t.Context(), mcpclient.Changes{URIs: []string{uri, rpc.URICatalogue}})
		if err != nil {
			t.Fatal(err)
		}
		defer listening.Close()
		o, err := c.order(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		heard := map[string]bool{}
		for len(heard) < 2 {
			select {
			case uri := <-c.changes:
				heard[uri] = true
			case <-time.After(20 * time.Second):
				t.Fatalf("heard of %v only", heard)
			}
		}
		if !heard[uri] || !heard[rpc.URICatalogue] {
			t.Errorf("heard of %v", heard)
		}
		read, err := c.ReadOrder(t.Context(), rpc.OrderParams{OrderID: o.ID})
		if err != nil || read != o {
			t.Error(read, err)
		}
	})
}

// TestPrompt completes the number of an order, and has it reviewed.
func TestPrompt(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		o, err := c.order(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, beginning := range []string{"", "ORD-", string(o.ID)[:6]} {
			ids, err := c.conn.CompletePrompt(t.Context(), rpc.PromptReviewOrder, "orderId", beginning, nil)
			if err != nil || len(ids.Values) != 1 || ids.Values[0] != string(o.ID) {
				t.Error(ids, err)
			}
		}
		skus, err := c.conn.CompleteTemplate(t.Context(), rpc.TemplateItem, "sku", "SAW", nil)
		if err != nil || len(skus.Values) != 3 {
			t.Error(skus, err)
		}
		if none, err := c.conn.CompleteTemplate(t.Context(), rpc.TemplateOrder, "orderId", "%", nil); err != nil || len(none.Values) != 0 {
			t.Error(none, err)
		}
		prompt, err := c.ReviewOrder(t.Context(), rpc.ReviewOrderArguments{OrderID: o.ID})
		if err != nil || len(prompt.Messages) != 1 {
			t.Fatal(prompt, err)
		}
		text, ok := prompt.Messages[0].Content.(*mcp.TextContent)
		if !ok || !strings.Contains(text.Text, string(o.ID)) || !strings.Contains(text.Text, "3 x Claw hammer for EUR 74.70") {
			t.Errorf("%+v", prompt.Messages[0].Content)
		}
		if _, err := c.ReviewOrder(t.Context(), rpc.ReviewOrderArguments{OrderID: "ORD-AAAAAAAA"}); err == nil {
			t.Error("there is no such order")
		}
	})
}

// TestCustomersAtOnce: customers of both eras order more than there is at the same time; what is there is sold, and no more.
func TestCustomersAtOnce(t *testing.T) {
	server, closeAll := openServer(t, filepath.Join(t.TempDir(), "shop.db"))
	defer closeAll()
	h := mcphttp.NewHandler(server, mcphttp.Options{})
	web := httptest.NewServer(h)
	defer web.Close()
	defer h.Close()
	var group sync.WaitGroup
	var sold atomic.Int32
	for i := range 8 {
		dial := mcpclient.InMemory(server)
		if i%4 < 2 {
			dial = mcphttp.Dial(web.URL, mcphttp.ClientOptions{})
		}
		c := newCustomer(t, dial, []mcp.Era{mcp.Stateless, mcp.Handshake}[i%2])
		group.Go(func() {
			for {
				o, err := c.order(t.Context(), 3)
				if is[*rpc.OutOfStockError](err) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				sold.Add(o.Count)
			}
		})
	}
	group.Wait()
	if sold.Load() != 39 {
		t.Errorf("of 40, %d were sold by threes", sold.Load())
	}
}

// TestRegionHeader: over HTTP the region that is asked for stands in a header as well, for those on the way.
func TestRegionHeader(t *testing.T) {
	server, closeAll := openServer(t, filepath.Join(t.TempDir(), "shop.db"))
	defer closeAll()
	web := httptest.NewServer(mcphttp.NewHandler(server, mcphttp.Options{}))
	defer web.Close()
	for region, want := range map[string]int{"eu": http.StatusOK, "us": http.StatusBadRequest, "": http.StatusBadRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"saw","region":"eu"},"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "search_items", "Mcp-Param-Region": region} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("region %q in the header is answered %s", region, answer.Status)
		}
	}
}
