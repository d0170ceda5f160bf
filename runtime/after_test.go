package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// follower answers a request with an id, and sends an item with that id after the answer.
type follower struct {
	other *runtime.Session

	mu      sync.Mutex
	past    context.Context
	refused int // calls of AfterAnswer that reported false
}

// Handle answers "open" and "fail", both followed by an item, "panic", and batches of "open".
func (f *follower) Handle(ctx context.Context, c *runtime.Call) {
	c.NoParams()
	f.mu.Lock()
	defer f.mu.Unlock()
	session := runtime.PeerFrom(ctx).(*runtime.Session)
	item := func(text string) func(context.Context) {
		return func(ctx context.Context) {
			session.Notify(ctx, []byte(`{"jsonrpc":"2.0","method":"item","params":["`+text+`"]}`))
		}
	}
	for _, ok := range []bool{session.AfterAnswer(ctx, item("one")), session.AfterAnswer(ctx, item("two"))} {
		if !ok {
			f.refused++
		}
	}
	if f.other.AfterAnswer(ctx, item("other")) || f.past != nil && session.AfterAnswer(f.past, item("past")) {
		f.refused = -1000
	}
	f.past = ctx
	switch c.Method() {
	case "fail":
		c.MethodNotFound("")
	case "panic":
		session.AfterAnswer(ctx, func(context.Context) { panic("after the answer") })
		c.ReturnEmpty()
	default:
		c.ReturnEmpty()
	}
}
func (*follower) Protocol() runtime.Protocol        { return runtime.Protocol{Batch: true} }
func (*follower) Condition(runtime.Condition) error { return nil }
func (*follower) Hooks() runtime.Hooks              { return runtime.Hooks{} }

// TestAfterAnswer: what is sent after an answer comes after it, also after an error, and a function that panics ends nothing.
func TestAfterAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe.New(0)
		c, _ := pipe.New(0)
		f := &follower{other: runtime.NewSession(t.Context(), c, nil, runtime.Options{})}
		session := runtime.NewSession(t.Context(), a, f, runtime.Options{Logger: quiet})
		defer session.Wait()
		defer session.Close()
		defer f.other.Close()
		for i, method := range []string{"open", "fail", "panic", "open"} {
			b.WriteFrame(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s"}`, i, method))
			for _, want := range []string{`"id":` + fmt.Sprint(i), `["one"]`, `["two"]`} {
				if got, err := b.ReadFrame(); err != nil || !strings.Contains(string(got), want) {
					t.Fatalf("%s: got %s, %v, want %s", method, got, err, want)
				}
			}
			synctest.Wait()
			if session.Busy() || f.refused != 0 {
				t.Errorf("%s: busy %t, refused %d", method, session.Busy(), f.refused)
			}
		}
		b.WriteFrame([]byte(`[{"jsonrpc":"2.0","id":"in a batch","method":"open"}]`))
		b.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"a notification"}`))
		synctest.Wait()
		if f.refused != 4 {
			t.Errorf("%d calls of a batch and of a notification were refused", f.refused)
		}
	})
}
