package mcp

import (
	"slices"
)

// newWatches returns those of a server.
func newWatches(s *Server) *watches {
	w := &watches{declared: s.info.Subscribe}
	if s.opts.Dynamic != nil && s.opts.Dynamic.Watches() {
		w.start, w.all = s.opts.Dynamic.Watch, make(map[string]*watch)
	}
	return w
}

// hold counts a subscriber of a resource. It reports false if clients cannot subscribe to the
// resource. The lock must be held.
func (w *watches) hold(uri string) bool {
	if w.start == nil {
		return true
	}
	one := w.all[uri]
	if one == nil {
		one = &watch{}
	}
	if one.stop == nil {
		one.stop = w.start(uri)
	}
	if one.stop == nil && !w.declared {
		return false
	}
	one.subscribers++
	w.all[uri] = one
	return true
}

// release undoes hold. The lock must be held.
func (w *watches) release(uri string) {
	one := w.all[uri]
	if one == nil {
		return
	}
	if one.subscribers--; one.subscribers > 0 {
		return
	}
	delete(w.all, uri)
	if one.stop != nil {
		one.stop()
	}
}

// holdAll returns the resources to which clients can subscribe, after counting a subscriber for each.
// The lock must be held.
func (w *watches) holdAll(uris []string) []string {
	return slices.DeleteFunc(uris, func(uri string) bool { return !w.hold(uri) })
}
