package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
	"github.com/rpcgen-go/rpcgen/examples/shop/rpc/rpctest"
	"github.com/rpcgen-go/rpcgen/examples/shop/store"
)

// keepsNothing is a store of results that are never found again: the contract is that of the handlers.
type keepsNothing struct{}

func (keepsNothing) Get(string) ([]byte, bool)         { return nil, false }
func (keepsNothing) Set(string, []byte, time.Duration) {}

// TestContract checks the shop against its schema. Each instance is a copy of one shop, in which an order was placed.
func TestContract(t *testing.T) {
	folder, n := t.TempDir(), 0
	first := filepath.Join(folder, "shop.db")
	s, err := store.Open(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.Place(t.Context(), store.Wanted{Sku: "HAM-0001", Count: 1, Region: rpc.RegionEU})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	shop, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	conn := contract.InMemory(func() runtime.Handler {
		n++
		file := filepath.Join(folder, strconv.Itoa(n)+".db")
		if err := os.WriteFile(file, shop, 0o600); err != nil {
			t.Error(err)
		}
		server, closeAll := openServerKeeping(t, file, keepsNothing{})
		t.Cleanup(closeAll)
		return server
	})
	budget := 5 * time.Second
	if text := os.Getenv("SHOP_BUDGET"); text != "" {
		if budget, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	rpctest.Contract(t, conn, contract.Budget(budget), contract.AllowWrites(), contract.Values("sku", `"HAM-0001"`, `"SAW-0001"`),
		contract.Values("query", `"hammer"`, `"saw"`, `"a"`), contract.Values("orderId", strconv.Quote(string(order.ID))))
}
