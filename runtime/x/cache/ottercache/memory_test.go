package ottercache_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestKeptResults: a store takes as much memory as it may, with results of any size.
func TestKeptResults(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	for _, size := range []int{2, 300, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			const most = 8 << 20
			s, err := ottercache.New(most)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			heap.AtMost(t, most, func() {
				for i := range 2 * most / (size + 200) {
					key := sha256.Sum256(fmt.Append(nil, i))
					s.Set(string(key[:]), make([]byte, size), time.Hour)
				}
				await.Until(t, "the store has dropped results, in a goroutine of its own", func() bool { return s.Size() <= most })
			})
			if s.Size() == 0 {
				t.Error("nothing is kept")
			}
		})
	}
}
