package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// Cache keeps results in a store. It is safe for concurrent use, for any number of handlers of one
// schema.
type Cache struct {
	store          Store
	methods, tools map[string]*rulePlan
	most           int
	hits, misses   atomic.Int64

	mu      sync.Mutex
	flights map[string]*flight // calls whose results others wait for, by key
}

// rulePlan is a rule with what belongs to it.
type rulePlan struct {
	Rule
	generation atomic.Uint64 // part of the keys; Invalidate changes it
	took       atomic.Int64  // nanoseconds of the last call whose result was kept
}

// New returns a cache that keeps results in store.
func New(store Store, o Options) *Cache {
	c := &Cache{store: store, methods: rules(o.Methods), tools: rules(o.Tools), most: o.MaxValue, flights: make(map[string]*flight)}
	defaults.Set(&c.most, 1<<20)
	return c
}

func rules(named map[string]Rule) map[string]*rulePlan {
	all := make(map[string]*rulePlan, len(named))
	for name, r := range named {
		if r.TTL > 0 {
			all[name] = &rulePlan{Rule: r}
		}
	}
	return all
}

// Stats returns how many calls were answered with a result that was kept, and how many were not although there is a rule for them.
func (c *Cache) Stats() (hits, misses int64) { return c.hits.Load(), c.misses.Load() }

// InvalidateMethod drops the results of a method.
func (c *Cache) InvalidateMethod(name string) { c.methods[name].invalidate() }

// InvalidateTool drops the results of a tool.
func (c *Cache) InvalidateTool(name string) { c.tools[name].invalidate() }

func (k *rulePlan) invalidate() {
	if k != nil {
		k.generation.Add(1)
	}
}

// Middleware is a [runtime.Middleware] that keeps the results of methods.
func (c *Cache) Middleware(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(ctx context.Context, call *runtime.Call) {
		rule := c.methods[call.Method()]
		if rule == nil || call.IsNotification() {
			next(ctx, call)
			return
		}
		handled := false
		result, err := c.do(ctx, rule, lookup{kind: "method", name: call.Method(), params: call.PeekParams()}, call.Begin, func(ctx context.Context) []byte {
			handled = true
			next(ctx, call)
			if _, ok := call.Items(); ok { // a stream, whose items no result holds
				return nil
			}
			return call.ResultJSON()
		})
		switch {
		case handled:
		case err != nil:
			call.Fail(err)
		case call.NoParams(): // checks the message
			call.Return(append(call.Result(), result...))
		}
	}
}

// Tool returns the result of a tool of an MCP server that is kept for the arguments, a JSON object, or else what call returns; nil means that there is no
// result to keep. Requests of different variants, such as revisions of the protocol, have different results. The handler of the call gets the context
// of call. The error is that of ctx, if it ends while another call is made. Package mcpcache calls it.
func (c *Cache) Tool(ctx context.Context, name, variant string, arguments []byte, call func(ctx context.Context) []byte) ([]byte, error) {
	rule := c.tools[name]
	if rule == nil {
		return call(ctx), nil
	}
	return c.do(ctx, rule, lookup{"tool", name, variant, wire.PeekAt(arguments)}, func() {}, call)
}

// lookup is what a result is looked up by.
type lookup struct {
	kind, name, variant string
	params              wire.Peek
}

// do returns the result that is kept, or what call returns, which may be nil. Before it waits for
// another call it calls waits.
func (c *Cache) do(ctx context.Context, r *rulePlan, l lookup, waits func(), call func(context.Context) []byte) ([]byte, error) {
	who := ""
	if r.Scope == Private {
		who = principal.From(ctx)
	}
	if r.Scope == Private && who == "" || !r.selects(l.params) {
		c.misses.Add(1)
		return call(ctx), nil
	}
	key := r.key(l, who)
	if value, ok := c.store.Get(key); ok {
		c.hits.Add(1)
		return value, nil
	}
	f, first := c.enter(key)
	if first {
		c.misses.Add(1)
		defer f.end(nil)
		ctx, peer := watchPeer(ctx, f)
		start := time.Now()
		result := call(ctx)
		if result == nil || len(result) > c.most || peer != nil && peer.used.Load() {
			return nil, nil
		}
		r.took.Store(int64(time.Since(start)))
		result = bytes.Clone(result)
		c.store.Set(key, result, r.TTL)
		f.end(result)
		return result, nil
	}
	waits()
	value, err := f.wait(ctx, r.patience())
	if value != nil {
		c.hits.Add(1)
	}
	if value != nil || err != nil {
		return value, err
	}
	c.misses.Add(1)
	return call(ctx), nil
}

// selects reports whether the members that the rule names select a result. Params by position have no
// names here, and of a member that is there twice the handler might read another one than the cache:
// such calls are left to the handler.
func (k *rulePlan) selects(params wire.Peek) bool {
	switch params.Kind() {
	case wire.Invalid:
		return true // absent params are those without members
	case wire.Object:
		return k.Keys == nil || params.Once()
	}
	return k.Keys == nil
}

// key returns the key of a result. It is a hash, because params may be long, and one that callers
// cannot find collisions of.
func (k *rulePlan) key(l lookup, who string) string {
	h := sha256.New()
	for _, part := range [...]string{l.kind, l.name, l.variant, who} {
		write(h, []byte(part))
	}
	var generation [8]byte
	binary.LittleEndian.PutUint64(generation[:], k.generation.Load())
	h.Write(generation[:])
	if k.Keys == nil {
		write(h, l.params.JSON())
	}
	for _, name := range k.Keys {
		write(h, l.params.In(name).JSON())
	}
	return string(h.Sum(nil))
}

// write adds a part of a key. Its length goes before it, so that parts cannot run into each other.
func write(h hash.Hash, part []byte) {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
	h.Write(size[:])
	h.Write(part)
}
