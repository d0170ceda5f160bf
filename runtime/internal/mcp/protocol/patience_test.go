package protocol

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatience: the time between Suspend and its end does not count, also when it is suspended twice.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := WithPatience(t.Context(), 3*time.Second)
		defer cancel()
		time.Sleep(time.Second)
		first, second := Suspend(ctx), Suspend(ctx)
		time.Sleep(time.Hour)
		first()
		first() // has no effect
		time.Sleep(time.Hour)
		second()
		<-ctx.Done()
		if got := time.Since(start); got != 2*time.Hour+3*time.Second {
			t.Errorf("it ended after %s", got)
		}
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Error(context.Cause(ctx))
		}
		Suspend(ctx)() // after the end
	})
}

// TestNoPatience: a context without a limit has nothing to suspend, and the end of the one before ends
// one with a limit.
func TestNoPatience(t *testing.T) {
	Suspend(t.Context())()
	outer, cancel := context.WithCancel(t.Context())
	ctx, stop := WithPatience(outer, time.Hour)
	defer stop()
	cancel()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error(ctx.Err())
	}
}
