package gen_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/inflight"
)

// TestNoConnection calls over what runtime.PeerFrom returns where the transport cannot call its clients.
func TestNoConnection(t *testing.T) {
	for name, conn := range map[string]runtime.Conn{"plain": nil, "cancelled": inflight.CancelBy(nil, "$/cancelRequest", "id")} {
		for kind, call := range map[string]func() error{
			"request": func() (err error) {
				q := gen.NewRequest(conn, "a")
				defer q.Close(&err)
				q.SendEmpty(context.Background())
				q.NoResult(nil)
				return q.Err()
			},
			"notification": func() (err error) {
				q := gen.NewNotification(conn, "a")
				defer q.Close(&err)
				q.SendEmpty(context.Background())
				return q.Err()
			},
			"batch": func() error {
				b := gen.NewBatch(conn)
				call := gen.AddCall[struct{}](b, "a", nil, nil, nil)
				if err := b.Send(context.Background()); err != call.Err() {
					t.Errorf("%s: the call has the error %v, the batch %v", name, call.Err(), err)
				}
				return call.Err()
			},
			"batch of notifications": func() error {
				b := gen.NewBatch(conn)
				b.AddNote("a", nil)
				return b.Send(context.Background())
			},
		} {
			if err := call(); err == nil || !strings.Contains(err.Error(), "runtime.PeerFrom returns nil") {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}
