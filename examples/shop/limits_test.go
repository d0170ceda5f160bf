package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// TestRates: each principal has a rate of its own, and is refused with the error of the schema when it is used up, in both eras.
func TestRates(t *testing.T) {
	server, closeAll := openServer(t, filepath.Join(t.TempDir(), "shop.db"))
	t.Cleanup(closeAll)
	l := rates()
	l.Tools[rpc.ToolSearchItems] = ratelimit.Rate{Calls: 2, Per: time.Hour}
	o, err := httpOptions(l, "secret=ann hidden=bob")
	if err != nil {
		t.Fatal(err)
	}
	h := mcphttp.NewHandler(server, o)
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		web.Close()
	})
	for secret, era := range map[string]mcp.Era{"secret": mcp.Stateless, "hidden": mcp.Handshake} {
		for i := range 2 {
			c := newCustomer(t, mcphttp.Dial(web.URL, mcphttp.ClientOptions{Token: token(secret)}), era)
			for range 2 {
				_, err := c.SearchItems(t.Context(), rpc.SearchItemsInput{Query: "hammer", Limit: 1})
				e, refused := errors.AsType[*rpc.TooManyCallsError](err)
				if i == 0 && err != nil || i == 1 && (!refused || e.Limit != 2 || e.RetryAfter < 1000) {
					t.Errorf("%v: client %d: %v", era, i, err)
				}
			}
		}
	}
	dial := mcphttp.Dial(web.URL, mcphttp.ClientOptions{Token: token("guessed")})
	if _, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: quiet}); err == nil {
		t.Error("a guessed token is accepted")
	}
	if _, err := httpOptions(l, "secret"); err == nil {
		t.Error("a token without an owner is accepted")
	}
}

// TestKept: details of an item are kept, and a change of its stock shows at once.
func TestKept(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		details := func() int32 {
			t.Helper()
			item, err := c.ItemDetails(t.Context(), rpc.ItemDetailsInput{Sku: "HAM-0001"})
			if err != nil {
				t.Fatal(err)
			}
			return item.Stock
		}
		before := details()
		if again := details(); again != before {
			t.Error(again, "not", before)
		}
		for i := range int32(3) {
			if _, err := c.order(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if after := details(); after != before-i-1 {
				t.Errorf("%d are left, not %d", after, before-i-1)
			}
		}
	})
}

// token returns the Token of a client that has one.
func token(text string) func(context.Context, *mcphttp.Challenge) (string, error) {
	return func(_ context.Context, refused *mcphttp.Challenge) (string, error) {
		if refused != nil {
			return "", errors.New("the token is refused")
		}
		return text, nil
	}
}
