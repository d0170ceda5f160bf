package ratelimit

import (
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// bucket is a token bucket by the generic cell rate algorithm (ITU-T I.371): it holds the time at
// which it will be full again, in nanoseconds of the limiter's clock. The zero value is full.
type bucket struct{ full atomic.Int64 }

// rate is a Rate in the terms of buckets, in nanoseconds.
type rate struct {
	calls int
	scope Scope
	step  int64 // time until one more call is allowed
	depth int64 // time until an empty bucket is full
}

// newRate returns r in the terms of buckets. A step is at least a nanosecond, and a bucket takes at
// most about 292 years to fill.
func newRate(r Rate, scope Scope) rate {
	defaults.Set(&r.Per, time.Second)
	defaults.Set(&r.Burst, r.Calls)
	step := max(int64(r.Per)/int64(r.Calls), 1)
	const most = 1 << 62
	depth := int64(most)
	if int64(r.Burst) < most/step {
		depth = step * int64(r.Burst)
	}
	return rate{r.Calls, scope, step, depth}
}

// take takes a token. If there is none, it returns how long it takes until there is one.
func (b *bucket) take(r *rate, now int64) (wait time.Duration) {
	for {
		was := b.full.Load()
		full := max(was, now) + r.step
		if late := full - now - r.depth; late > 0 {
			return time.Duration(late)
		}
		if b.full.CompareAndSwap(was, full) {
			return 0
		}
	}
}
