package mount

import (
	"maps"
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// The limits of what the clients of the gateway may subscribe to.
const (
	maxWatched = 1000    // resources of one server
	maxURI     = 4 << 10 // bytes of a URI
)

// watches are the resources of one server that clients of the gateway have subscribed to. A [keeper]
// subscribes to them at the server.
type watches struct {
	changed chan struct{} // gets a token when something has changed

	mu      sync.Mutex
	offered bool            // the server has subscriptions
	again   bool            // what the server has refused is requested once more
	wanted  map[string]bool // by URI; true means that changes may have been missed
}

func newWatches() *watches {
	return &watches{changed: make(chan struct{}, 1), wanted: make(map[string]bool)}
}

// offer sets whether the server has subscriptions.
func (w *watches) offer(offered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offered, w.again = offered, true
	token(w.changed)
}

// add adds a resource. If missed is true, clients are notified as soon as the server sends updates. It
// reports false if the server has no subscriptions, or a limit is exceeded.
func (w *watches) add(uri string, missed bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.offered || len(w.wanted) >= maxWatched || len(uri) > maxURI {
		return false
	}
	w.wanted[uri] = missed
	token(w.changed)
	return true
}

// remove removes a resource.
func (w *watches) remove(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.wanted, uri)
	token(w.changed)
}

// now returns the resources that are wanted, and whether refused ones are requested once more.
func (w *watches) now() (wanted map[string]bool, again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again, w.again = w.again, false
	return maps.Clone(w.wanted), again
}

// begun notes that the server sends updates of resources. It returns those of which changes may have been
// missed before.
func (w *watches) begun(uris []string) (missed []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uri := range uris {
		before, wanted := w.wanted[uri]
		if before {
			missed = append(missed, uri)
		}
		if wanted {
			w.wanted[uri] = true // if this subscription is lost
		}
	}
	return missed
}

// watch begins to pass updates of a resource on, for the first client that subscribes to it.
func (g *Gateway) watch(uri string) (stop func()) {
	o, known := g.ownerOf(mcpdynamic.Resources, uri)
	if !known {
		return nil
	}
	u := g.upstream(o.server)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !u.watches.add(uri, false) {
		return nil
	}
	g.watched[uri] = u
	return func() { g.unwatch(uri) }
}

// unwatch undoes watch, after the last client.
func (g *Gateway) unwatch(uri string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if u := g.watched[uri]; u != nil {
		u.watches.remove(uri)
	}
	delete(g.watched, uri)
}

// updated passes an update on. A server can only send those of resources that are its own and that
// clients have subscribed to.
func (g *Gateway) updated(u *upstream, uri string) {
	g.mu.Lock()
	own := g.watched[uri] == u
	g.mu.Unlock()
	if own {
		g.server.ResourceUpdated(uri)
	}
}

// rebind moves each resource that clients have subscribed to, after lists have changed, to the server
// that has it now. One that no server has stays where it was.
func (g *Gateway) rebind() {
	g.binding.Lock()
	defer g.binding.Unlock()
	g.mu.Lock()
	uris := slices.Collect(maps.Keys(g.watched))
	g.mu.Unlock()
	for _, uri := range uris {
		if o, known := g.ownerOf(mcpdynamic.Resources, uri); known {
			g.bind(uri, g.upstream(o.server))
		}
	}
}

// bind makes a server the one that updates of a resource come from.
func (g *Gateway) bind(uri string, u *upstream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old, watched := g.watched[uri]
	if !watched || old == u {
		return
	}
	if old != nil {
		old.watches.remove(uri)
	}
	if !u.watches.add(uri, true) {
		u = nil // it is tried again when lists change
	}
	g.watched[uri] = u
}
