package main

import (
	"path/filepath"
	"strconv"
	"testing"

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
	rpctest.Contract(t, conn, contract.AllowWrites(), contract.Values("sku", `"HAM-0001"`, `"SAW-0001"`))
}
