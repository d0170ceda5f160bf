package pairs

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
	ledger "github.com/rpcgen-go/rpcgen/test/ledger/rpc"
)

// store keeps results as long as a scenario lasts.
type store struct{ values sync.Map }

// Get implements [cache.Store].
func (s *store) Get(key string) ([]byte, bool) {
	value, ok := s.values.Load(key)
	b, _ := value.([]byte)
	return b, ok
}

// Set implements [cache.Store].
func (s *store) Set(key string, value []byte, _ time.Duration) { s.values.Store(key, value) }

// keepsBy reports whether a rule is one of the cache of the scenario.
func (s *scenario) keepsBy(rule cache.Rule) bool {
	switch s.cache {
	case public:
		return rule.Scope == cache.Public && rule.Keys != nil
	case private:
		return rule.Scope == cache.Private
	case whole:
		return rule.Scope == cache.Public && rule.Keys == nil
	}
	return false
}

// low is a rate that calls may be over.
var low = ratelimit.Rate{Calls: 100, Per: time.Second, Burst: 10}

// options returns the options of sessions and handlers.
func (r *run) options(rates ratelimit.Limits) runtime.Options {
	o := runtime.Options{Logger: quiet, DrainTimeout: time.Second}
	if r.limited {
		o.Limiter = ratelimit.New(rates).Middleware
	}
	return o
}

// ledgerOptions returns the options of sessions and handlers.
func (r *run) ledgerOptions() runtime.Options {
	o := r.options(ratelimit.Limits{Principal: low})
	if r.middleware {
		o.Middleware = append(o.Middleware, looks)
	}
	if r.cache != nothing {
		rules := ledger.CacheRules()
		maps.DeleteFunc(rules.Methods, func(_ string, rule cache.Rule) bool { return !r.keepsBy(rule) })
		o.Middleware = append(o.Middleware, cache.New(new(store), rules).Middleware)
	}
	return o
}

// ledger serves the schema, and returns how a caller connects.
func (r *run) ledger(ctx context.Context) (enter func(ctx context.Context, name string, mute bool) (*caller, error), leave func(), err error) {
	handler := ledger.NewHandler(books{run: r})
	if r.transport == overHTTP {
		o := rpchttp.Options{Runtime: r.ledgerOptions()}
		if r.principals {
			o.Auth = rpchttp.Tokens(r.tokens())
		}
		url, leave, err := web(rpchttp.NewHandler(handler, o))
		return func(_ context.Context, name string, _ bool) (*caller, error) {
			pool := &http.Transport{}
			conn, err := rpchttp.Dial(url, rpchttp.ClientOptions{HTTP: r.tapHTTP(name, pool), Token: func(context.Context) (string, error) { return token(name), nil }})
			if err != nil {
				return nil, err
			}
			c := r.newCaller(name, false)
			r.spend(c, new(customer), conn, func() {}, func() { conn.Close(); pool.CloseIdleConnections() })
			return c, nil
		}, leave, err
	}
	ctx, stop := context.WithCancel(ctx)
	h, err := r.newHost(ctx, handler, r.ledgerOptions())
	if err != nil {
		stop()
		return nil, nil, err
	}
	return func(_ context.Context, name string, mute bool) (*caller, error) {
		c := r.newCaller(name, mute)
		me := &customer{caller: c}
		conn, leave, err := h.connect(name, ledger.NewCallbackHandler(me))
		if err != nil {
			return nil, err
		}
		r.spend(c, me, conn, func() { h.cut(name) }, leave)
		return c, nil
	}, func() { stop(); h.ended.Wait() }, nil
}

// newCaller returns a caller that makes no calls yet.
func (r *run) newCaller(name string, mute bool) *caller {
	return &caller{run: r, name: name, mute: mute, by: r.principalOf(name)}
}
