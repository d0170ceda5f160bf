package mcpclient

import (
	"maps"
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
)

// subscriptions holds the subscriptions of a client that have not ended.
type subscriptions struct {
	listens shared.Map[int64, *Subscription] // of the stateless era, by the id of their requests

	mu      sync.Mutex
	watches map[*Subscription]bool // of the handshake era
	watched map[string]int         // number of watches by resource
}

// of returns the subscription of the stateless era whose request has the id, or nil.
func (t *subscriptions) of(id wire.ID) *Subscription {
	n, ok := id.Int64()
	if !ok {
		return nil
	}
	return t.listens.Get(n)
}

// byTag returns the subscription that a notification of a stateless server belongs to, or nil.
func (t *subscriptions) byTag(p wire.Peek) *Subscription {
	id, _ := wire.ParseID(p.In("_meta").In(protocol.MetaSubscription).JSON())
	return t.of(id)
}

// watch adds a subscription of the handshake era.
func (t *subscriptions) watch(s *Subscription) {
	t.mu.Lock()
	t.watches[s] = true
	t.mu.Unlock()
}

// unwatch undoes watch. It reports false if that was done before, or s belongs to the stateless era.
func (t *subscriptions) unwatch(s *Subscription) (watching bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	watching = t.watches[s]
	delete(t.watches, s)
	return watching
}

// count changes the number of watches of a resource by step, and returns it.
func (t *subscriptions) count(uri string, step int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watched[uri] += step
	n := t.watched[uri]
	if n == 0 {
		delete(t.watched, uri)
	}
	return n
}

// watching reports whether there are subscriptions of the handshake era.
func (t *subscriptions) watching() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.watches) > 0
}

// changes returns what the subscriptions of the handshake era are about.
func (t *subscriptions) changes() Changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := Changes{URIs: slices.Sorted(maps.Keys(t.watched))}
	for s := range t.watches {
		all.Tools, all.Prompts, all.Resources = all.Tools || s.Agreed.Tools, all.Prompts || s.Agreed.Prompts, all.Resources || s.Agreed.Resources
	}
	return all
}

// lists returns the lists that are wanted.
func (w Changes) lists() (all []List) {
	for i, wanted := range [...]bool{w.Tools, w.Prompts, w.Resources} {
		if wanted {
			all = append(all, [...]List{ListOfTools, ListOfPrompts, ListOfResources}[i])
		}
	}
	return all
}

// end ends the subscriptions of the handshake era when the connection is closed. Those of the stateless era end with their requests.
func (t *subscriptions) end(cause error) {
	t.mu.Lock()
	watches := maps.Clone(t.watches)
	clear(t.watches)
	t.mu.Unlock()
	for s := range watches {
		s.end(cause)
	}
}
