package backplanetest_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp/backplanetest"
)

func TestMemory(t *testing.T) {
	backplanetest.Run(t, func(_ testing.TB, replicas int) (all []mcphttp.Backplane) {
		shared := mcphttp.NewMemory()
		for range replicas {
			all = append(all, shared)
		}
		return all
	})
}
