package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc/rpctest"
)

// TestContract checks the shop against its schema. Each instance is a new shop.
func TestContract(t *testing.T) {
	folder, n := t.TempDir(), 0
	conn := contract.InMemory(func() runtime.Handler {
		n++
		server, closeAll := openServer(t, filepath.Join(folder, strconv.Itoa(n)+".db"))
		t.Cleanup(closeAll)
		return server
	})
	budget := 5 * time.Second
	if text := os.Getenv("SHOP_BUDGET"); text != "" {
		var err error
		if budget, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	rpctest.Contract(t, conn, contract.Budget(budget), contract.AllowWrites(), contract.Values("sku", `"HAM-0001"`, `"SAW-0001"`),
		contract.Values("query", `"hammer"`, `"saw"`, `"a"`))
}
