package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
)

// TestNotifyWhileDraining sends a notification from a handler whose peer has said all it has to say: it may still read.
func TestNotifyWhileDraining(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"watch"}` + "\n")
	conn := frame.NewConn(frame.Lines.NewReader(in, 0), frame.Lines.NewWriter(&out, 0), func() error { return nil })
	if err := runtime.Serve(t.Context(), conn, alarmed{}, runtime.Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `{"jsonrpc":"2.0","method":"alert"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	if out.String() != want {
		t.Errorf("got %q\nwant %q", out.String(), want)
	}
}

// alarmed sends an alert before it answers.
type alarmed struct{}

func (alarmed) Handle(ctx context.Context, c *runtime.Call) {
	if !c.NoParams() {
		return
	}
	var err error
	q := gen.NewNotification(runtime.PeerFrom(ctx), "alert")
	defer q.Close(&err)
	if q.SendEmpty(ctx); q.Err() != nil {
		c.Fail(q.Err())
		return
	}
	c.ReturnEmpty()
}

func (alarmed) Protocol() runtime.Protocol        { return runtime.Plain }
func (alarmed) Condition(runtime.Condition) error { return nil }
func (alarmed) Hooks() runtime.Hooks              { return runtime.Hooks{} }
