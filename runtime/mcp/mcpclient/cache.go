package mcpclient

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// results keeps results for as long as the server allows (server/utilities/caching). Those with the
// scope private are kept as well: a client belongs to one user.
type results struct {
	most int // bytes

	mu    sync.Mutex
	all   map[resultGroup]map[resultKey]keptResult
	bytes int
	epoch uint64 // counts what was forgotten: a result that was requested before is not kept
}

// resultKey is a request.
type resultKey struct {
	revision, method, target string
	members                  string // of the params
}

// resultGroup is what a notification forgets: the results of a list, or of one resource.
type resultGroup struct{ method, target string }

// group returns the group of a request.
func (k resultKey) group() resultGroup {
	if k.method == "resources/read" {
		return resultGroup{k.method, k.target}
	}
	return resultGroup{method: k.method}
}

type keptResult struct {
	text  []byte
	until time.Time
}

// cacheable reports whether the protocol says how long the result of a request stays fresh.
func (m *Request) cacheable() bool {
	if m.answers != nil || protocol.Of(m.rev.revision).Era != mcp.Stateless {
		return false
	}
	switch m.request.method {
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return false
}

// around returns the handler that answers from what is kept. It is the innermost middleware.
func (k *results) around(next Handler, most int) Handler {
	if most <= 0 {
		return next
	}
	k.most, k.all = most, make(map[resultGroup]map[resultKey]keptResult)
	return func(ctx context.Context, m *Request) error {
		if !m.cacheable() {
			return next(ctx, m)
		}
		q := m.request
		key := resultKey{m.rev.revision, q.method, q.target, string(q.members)}
		text, epoch := k.find(key)
		if text != nil {
			m.out = outcome{text: text}
			return resultOf(q, text, m.out.scan, nil)
		}
		if err := next(ctx, m); err != nil {
			return err
		}
		if m.out.kind == "" || m.out.kind == "complete" {
			k.keep(key, epoch, m.out.text)
		}
		return nil
	}
}

// find returns the result of a request, or nil.
func (k *results) find(key resultKey) (text []byte, epoch uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one, there := k.all[key.group()][key]
	if there && !time.Now().Before(one.until) {
		k.drop(key)
		return nil, k.epoch
	}
	return one.text, k.epoch
}

// keep keeps a result, unless something was forgotten since epoch. If there is too much, all other
// results are dropped.
func (k *results) keep(key resultKey, epoch uint64, text []byte) {
	const longest = 24 * time.Hour
	var ms int64
	ttl := wire.PeekAt(text).In("ttlMs")
	if ttl.Kind() != wire.NumberKind || wire.Unmarshal(ttl.JSON(), func(r *wire.Reader) { ms = r.Int64() }, nil) != nil || ms <= 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	size := key.size() + len(text)
	if k.epoch != epoch || size > k.most {
		return
	}
	k.drop(key)
	if k.bytes+size > k.most {
		clear(k.all)
		k.bytes = 0
	}
	group := key.group()
	if k.all[group] == nil {
		k.all[group] = make(map[resultKey]keptResult)
	}
	k.all[group][key] = keptResult{bytes.Clone(text), time.Now().Add(time.Duration(min(ms, longest.Milliseconds())) * time.Millisecond)}
	k.bytes += size
}

// size returns about how many bytes keeping the key takes, with its share of the tables. A resource has
// a table of its own.
func (k resultKey) size() int {
	const entry, table = 256, 960
	n := entry + len(k.method) + len(k.target) + len(k.members)
	if k.method == "resources/read" {
		n += table
	}
	return n
}

// drop drops one result. The lock must be held.
func (k *results) drop(key resultKey) {
	group := key.group()
	if one, there := k.all[group][key]; there {
		delete(k.all[group], key)
		k.bytes -= key.size() + len(one.text)
	}
	if len(k.all[group]) == 0 {
		delete(k.all, group)
	}
}

// forget drops the results of a list, or those of a resource. It looks at no others: a server can
// notify as often as it likes.
func (k *results) forget(method, uri string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	for key := range k.all[resultGroup{method, uri}] {
		k.drop(key)
	}
}

// dropList drops the results of a list that has changed.
func (k *results) dropList(l List) {
	k.forget(string(l)+"/list", "")
	if l == ListOfResources {
		k.forget("resources/templates/list", "")
	}
}
