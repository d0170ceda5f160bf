package storetest_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(testing.TB) (a, b mcptask.Store) {
		m := mcptask.NewMemory(mcptask.MemoryOptions{})
		return m, m
	})
}
