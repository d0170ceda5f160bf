package mount

import (
	"maps"
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// The limits of what the clients of the server may subscribe to.
const (
	maxWatched = 1000    // resources of one server
	maxURI     = 4 << 10 // bytes of a URI
)

// watches are the resources of one server that clients of the server have subscribed to. A [keeper] subscribes to them at the server.
type watches struct {
	changed chan struct{} // gets a token when something has changed

	mu      sync.Mutex
	offered bool            // the server has subscriptions
	again   bool            // what the server has refused is requested once more
	wanted  map[string]bool // by URI; true means that changes may have been missed
}

// offer sets whether the server has subscriptions.
func (w *watches) offer(offered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offered, w.again = offered, true
	wake.Up(w.changed)
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
	wake.Up(w.changed)
	return true
}

// remove removes a resource.
func (w *watches) remove(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.wanted, uri)
	wake.Up(w.changed)
}

// now returns the resources that are wanted, and whether refused ones are requested once more.
func (w *watches) now() (wanted map[string]bool, again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again, w.again = w.again, false
	return maps.Clone(w.wanted), again
}

// noteBegin notes that the server sends updates of resources. It returns those of which changes may have been missed before.
func (w *watches) noteBegin(uris []string) (missed []string) {
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

// miss notes that changes of resources may have been missed, because a subscription to them could not be made.
func (w *watches) miss(uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uri := range uris {
		if _, wanted := w.wanted[uri]; wanted {
			w.wanted[uri] = true
		}
	}
}

// watch begins to pass updates of a resource on, for the first client that subscribes to it.
func (s *Upstreams) watch(uri string) (stop func()) {
	o, known := s.ownerOf(mcpdynamic.Resources, uri)
	if !known {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.server.watches.add(uri, false) {
		return nil
	}
	s.watched[uri] = o.server
	return func() { s.unwatch(uri) }
}

// unwatch undoes watch, after the last client.
func (s *Upstreams) unwatch(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.watched[uri]; u != nil {
		u.watches.remove(uri)
	}
	delete(s.watched, uri)
}

// passUpdate passes an update on. A server can only send those of resources that are its own and that clients have subscribed to.
func (s *Upstreams) passUpdate(u *upstream, uri string) {
	s.mu.Lock()
	own := s.watched[uri] == u
	s.mu.Unlock()
	if own {
		s.server.ResourceUpdated(uri)
	}
}

// rebind moves each resource that clients have subscribed to, after lists have changed, to the server
// that has it now. One that no server has stays where it was.
func (s *Upstreams) rebind() {
	s.binding.Lock()
	defer s.binding.Unlock()
	s.mu.Lock()
	uris := slices.Collect(maps.Keys(s.watched))
	s.mu.Unlock()
	for _, uri := range uris {
		if o, known := s.ownerOf(mcpdynamic.Resources, uri); known {
			s.bind(uri, o.server)
		}
	}
}

// bind makes a server the one that updates of a resource come from.
func (s *Upstreams) bind(uri string, u *upstream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, watched := s.watched[uri]
	if !watched || old == u {
		return
	}
	if old != nil {
		old.watches.remove(uri)
	}
	if !u.watches.add(uri, true) {
		u = nil // it is tried again when lists change
	}
	s.watched[uri] = u
}
