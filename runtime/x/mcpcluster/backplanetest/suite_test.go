package backplanetest_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster/backplanetest"
)

func TestMemory(t *testing.T) {
	backplanetest.Run(t, func(_ testing.TB, replicas int) (all []mcpcluster.Backplane) {
		shared := mcpcluster.NewMemory()
		for range replicas {
			all = append(all, shared)
		}
		return all
	})
}
