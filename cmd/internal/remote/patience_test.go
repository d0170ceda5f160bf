package remote

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
)

// slowly is an agent, and the visit, of a person who takes a time.
type slowly time.Duration

func (s slowly) Begin(context.Context, string) (mcpauth.Visit, error) { return s, nil }
func (slowly) RedirectURI() string                                    { return "" }
func (slowly) Close() error                                           { return nil }

// Go takes a time of a bubble.
func (s slowly) Go(context.Context, string) (string, error) {
	time.Sleep(time.Duration(s))
	return "", nil
}

// TestPatience: a login does not count as time of the server, whichever request it is that requires it, and the server has all of it again afterwards.
func TestPatience(t *testing.T) {
	over := errors.New("over")
	for _, tt := range []struct{ before, login, after time.Duration }{{0, 0, time.Second}, {900 * time.Millisecond, time.Minute, time.Second}, {900 * time.Millisecond, 10 * time.Millisecond, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			clock := &patience{wait: time.Second}
			ctx, stop := clock.limit(t.Context(), clock.wait, over)
			defer stop()
			time.Sleep(tt.before)
			if tt.login > 0 {
				v, err := timedAgent{slowly(tt.login), clock}.Begin(ctx, "")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := v.Go(ctx, ""); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(tt.after - time.Millisecond)
			if ctx.Err() != nil {
				t.Errorf("%v: it is over too soon", tt)
			}
			time.Sleep(2 * time.Millisecond)
			if context.Cause(ctx) != over {
				t.Errorf("%v: it is not over: %v", tt, context.Cause(ctx))
			}
		})
	}
}
