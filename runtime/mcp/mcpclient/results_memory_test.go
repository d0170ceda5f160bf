package mcpclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
)

// TestKeptResults: what Options.CacheBytes limits is the memory that results take, small ones and large ones.
func TestKeptResults(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	for name, text := range map[string]string{"small": `{"ttlMs":60000}`, "large": `{"ttlMs":60000,"text":"` + strings.Repeat("x", 100_000) + `"}`} {
		for _, method := range []string{"resources/read", "tools/list"} {
			t.Run(name+" of "+method, func(t *testing.T) {
				most := int(heap.Limit()) / 4
				k := new(results)
				k.around(nil, most)
				heap.AtMost(t, int64(most), func() {
					for i := 0; ; i++ {
						key := resultKey{method: method, members: fmt.Sprint("page ", i)}
						if method == "resources/read" {
							key.target = fmt.Sprint("library://", i)
						}
						before := k.bytes
						if k.keep(key, 0, []byte(text)); k.bytes <= before { // the next one has replaced the others
							break
						}
						if k.bytes > most-len(text)-2000 {
							break
						}
					}
				})
				if k.bytes == 0 {
					t.Error("nothing is kept")
				}
			})
		}
	}
}
