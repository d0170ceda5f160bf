package ratelimit

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// Limiter decides which calls are served. It may be used for any number of handlers, sessions and
// dispatchers, whose calls it counts together, and is safe for concurrent use.
type Limiter struct {
	start   time.Time
	rules   atomic.Pointer[rules] // nil if there are no limits
	refused atomic.Int64
}

// New returns a limiter.
func New(l Limits) *Limiter {
	limiter := &Limiter{start: time.Now()}
	limiter.Set(l)
	return limiter
}

// Set replaces the limits while calls are served. All buckets are full afterwards.
func (l *Limiter) Set(limits Limits) { l.rules.Store(newRules(limits)) }

// Refused returns how many calls were over a rate since the limiter was made.
func (l *Limiter) Refused() int64 { return l.refused.Load() }

// Buckets returns how many buckets of principals and addresses are held.
func (l *Limiter) Buckets() int {
	if r := l.rules.Load(); r != nil {
		return r.principals.len() + r.addresses.len()
	}
	return 0
}

// Middleware is a [runtime.Middleware], usually [runtime.Options.Limiter].
func (l *Limiter) Middleware(next runtime.HandlerFunc) runtime.HandlerFunc {
	s := &source{limiter: l}
	return func(ctx context.Context, c *runtime.Call) {
		if s.allow(ctx, c) {
			next(ctx, c)
		}
	}
}

// source is where calls come from: a session, or a dispatcher whose calls belong to none.
type source struct {
	limiter *Limiter
	own     atomic.Pointer[ownBuckets] // of the session; nil until they are needed
}

// ownBuckets are the buckets of one session.
type ownBuckets struct {
	rules   *rules
	buckets []bucket // by index of the rate
}

// allow reports whether a call is within its rates; otherwise it has been answered.
func (s *source) allow(ctx context.Context, c *runtime.Call) bool {
	r := s.limiter.rules.Load()
	if r == nil {
		return true
	}
	t := taking{source: s, rules: r, now: int64(time.Since(s.limiter.start)), ctx: ctx}
	if broken := t.all(c); broken != nil {
		s.limiter.refused.Add(1)
		c.RateLimited(broken.calls, t.wait)
		return false
	}
	return true
}

// taking is the state of one decision.
type taking struct {
	source *source
	rules  *rules
	now    int64 // by the clock of the limiter
	ctx    context.Context

	wait   time.Duration // until the refused call would be allowed
	broken *rate         // that refuses it

	taken [namedRates + 2]takenToken
	n     int // of them
}

// takenToken is a token that was taken.
type takenToken struct {
	bucket *bucket
	rate   *rate
}

// all takes a token of every rate of the call. If one has none, all takes nothing and returns that
// rate. The rate of a principal comes first, because refusals in a flood should be cheap.
// Notifications have no rates but those of their methods.
func (t *taking) all(c *runtime.Call) (broken *rate) {
	method := c.Method()
	named, limited := t.rules.methods[method]
	var ok bool
	if c.IsNotification() {
		ok = !limited || t.take(named)
	} else {
		ok = t.take(principalRate) && t.take(sessionRate) && (!limited || t.take(named)) && t.takeTool(method, c) && t.take(serverRate)
	}
	if ok {
		return nil
	}
	for _, one := range t.taken[:t.n] {
		one.bucket.full.Add(-one.rate.step)
	}
	return t.broken
}

// takeTool takes a token of the rate of the tool that is called. Its name may still turn out to be
// invalid; then the call is rejected later.
func (t *taking) takeTool(method string, c *runtime.Call) bool {
	if len(t.rules.tools) == 0 || method != "tools/call" {
		return true
	}
	name, _ := c.PeekParams().In("name").Text()
	i, limited := t.rules.tools[name]
	return !limited || t.take(i)
}

// take takes a token of one rate.
func (t *taking) take(i int) bool {
	r := &t.rules.rates[i]
	if r.calls == 0 {
		return true
	}
	b := t.bucket(i, r.scope)
	if b == nil {
		return true
	}
	if t.wait = b.take(r, t.now); t.wait > 0 {
		t.broken = r
		return false
	}
	t.taken[t.n] = takenToken{b, r}
	t.n++
	return true
}

// bucket returns the bucket that a call counts in. It is nil for a rate of sessions outside of them.
func (t *taking) bucket(i int, scope Scope) *bucket {
	if scope == WholeServer {
		return &t.rules.server[i]
	}
	name := ""
	if scope == EachPrincipal {
		name = principal.From(t.ctx)
	}
	switch {
	case name != "":
		return t.rules.principals.bucket(key{i, name}, t.now)
	case inSession(t.ctx):
		return &t.source.session(t.rules)[i]
	case scope == EachPrincipal:
		return t.rules.addresses.bucket(key{i, principal.Address(t.ctx)}, t.now)
	}
	return nil
}

// inSession reports whether a call belongs to a session: the peers of sessions have a method Done,
// as [runtime.Session] has it.
func inSession(ctx context.Context) bool {
	_, ok := unwrap.As[interface{ Done() <-chan struct{} }](runtime.PeerFrom(ctx))
	return ok
}

// session returns the buckets of the session.
func (s *source) session(r *rules) []bucket {
	for {
		own := s.own.Load()
		if own != nil && own.rules == r {
			return own.buckets
		}
		s.own.CompareAndSwap(own, &ownBuckets{r, make([]bucket, len(r.rates))})
	}
}
