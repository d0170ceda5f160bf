package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
)

// TestKeptSubscriptions drives the subscriptions of sessions to their limits: their URIs, and 80 bytes for each.
func TestKeptSubscriptions(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	o := Options{}.withDefaults()
	for _, size := range []int{20, 64, 4096} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			each := min(o.MaxSubscriptions, o.MaxSubscriptionBytes/size)
			limit := each * (size + 80)
			padding := strings.Repeat("x", size)
			sessions := int(heap.Limit()) / limit
			var all []*subscriber
			heap.AtMost(t, int64(sessions*limit), func() {
				for s := range sessions {
					l := newSubscriber(nil, nil)
					for i := 0; ; i++ {
						uri := strconv.Itoa(s) + "/" + strconv.Itoa(i) + "/"
						uri += padding[len(uri):]
						if l.subscribe(uri, &o) == tooManySubscriptions {
							break
						}
					}
					all = append(all, l)
				}
			})
			for _, l := range all {
				l.cancel()
			}
		})
	}
}

// TestClientInfoIsLimited: a session keeps of its client as much as it may, and nothing else of its message.
func TestClientInfoIsLimited(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	most := Options{}.withDefaults().MaxClientInfo
	info := func(size int) ([]byte, []byte) {
		capabilities := []byte(`{"experimental":{"x":"` + strings.Repeat("x", size/2) + `"}}`)
		name := strings.Repeat("n", size-len(capabilities)-1)
		message := []byte(strings.Repeat(" ", 1<<16) + `{"name":"` + name + `","version":"1"}` + string(capabilities))
		end := len(message) - len(capabilities)
		return message[1<<16 : end], message[end:]
	}
	n := int(heap.Limit()) / most
	all := make([]Caller, n)
	heap.AtMost(t, int64(n*most), func() {
		for i := range n {
			c := newCaller(Revision20251125, first(info(most)), second(info(most)))
			var err error
			if all[i], err = c.retain(most); err != nil {
				t.Fatal(err)
			}
		}
	})
	c := newCaller(Revision20251125, first(info(most+1)), second(info(most+1)))
	if _, err := c.retain(most); err == nil {
		t.Error("a byte more is kept")
	}
	if len(all[n-1].Name) == 0 {
		t.Error("nothing is kept")
	}
}

func first(a, _ []byte) []byte  { return a }
func second(_, b []byte) []byte { return b }
