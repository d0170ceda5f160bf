package mcp

import (
	"cmp"
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// subscribers is the set of clients that receive notifications of changes. Its lock is taken before
// that of a subscriber, never after.
type subscribers struct {
	mu      sync.Mutex
	all     map[*subscriber]struct{}
	closed  bool
	closing chan struct{}  // closed when the server shuts down
	running sync.WaitGroup // goroutines that serve subscribers
	watches *watches
}

func (h *subscribers) init(w *watches) {
	h.all = make(map[*subscriber]struct{})
	h.closing = make(chan struct{})
	h.watches = w
}

func (h *subscribers) add(l *subscriber) {
	h.mu.Lock()
	l.subscribers = h
	h.all[l] = struct{}{}
	h.mu.Unlock()
}

func (h *subscribers) remove(l *subscriber) {
	h.mu.Lock()
	delete(h.all, l)
	h.mu.Unlock()
	l.cancel()
	h.watches.mu.Lock()
	defer h.watches.mu.Unlock()
	for uri := range l.forget() {
		h.watches.release(uri)
	}
}

// subscribe adds a resource to those of a session.
func (h *subscribers) subscribe(l *subscriber, uri string, o *Options) subscribed {
	h.watches.mu.Lock()
	defer h.watches.mu.Unlock()
	outcome := l.subscribe(uri, o)
	if outcome == subscribedNow && !h.watches.hold(uri) {
		l.unsubscribe(uri)
		return notSubscribable
	}
	return outcome
}

// unsubscribe undoes subscribe.
func (h *subscribers) unsubscribe(l *subscriber, uri string) {
	h.watches.mu.Lock()
	defer h.watches.mu.Unlock()
	if l.unsubscribe(uri) {
		h.watches.release(uri)
	}
}

// enter counts a goroutine for which Shutdown waits. It reports false after Shutdown has begun.
func (h *subscribers) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.running.Add(1)
	return true
}

// each calls push for every subscriber, with the lock held. So push must not block: it only notes
// the change.
func (h *subscribers) each(push func(*subscriber)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.all {
		push(l)
	}
}

// close ends all subscriptions and waits for that until ctx ends.
func (h *subscribers) close(ctx context.Context) error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.closing)
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		h.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		h.abort()
		return ctx.Err()
	}
}

// abort makes all subscribers stop writing.
func (h *subscribers) abort() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.all {
		l.cancel()
	}
}

// ToolsChanged notifies the clients that subscribed to it that the list of tools has changed
// (server/tools, List Changed Notification). It does not wait for them.
func (s *Server) ToolsChanged() {
	s.raise(change{Lists: protocol.Lists{Tools: true}})
}

// PromptsChanged notifies the clients that subscribed to it that the list of prompts has changed
// (server/prompts, List Changed Notification). It does not wait for them.
func (s *Server) PromptsChanged() {
	s.raise(change{Lists: protocol.Lists{Prompts: true}})
}

// ResourcesChanged notifies the clients that subscribed to it that the lists of resources have
// changed (server/resources, List Changed Notification). It does not wait for them.
func (s *Server) ResourcesChanged() {
	s.raise(change{Lists: protocol.Lists{Resources: true}})
}

// ResourceUpdated notifies the clients that subscribed to the resource that it has changed
// (server/resources). It does not wait for them.
func (s *Server) ResourceUpdated(uri string) {
	s.raise(change{URI: uri})
}

// ResourceUpdatedFor is like [Server.ResourceUpdated] but notifies only the clients of one principal, see [PrincipalFrom]. It is
// for resources whose URI is the same for all principals and whose content is not. An empty principal
// stands for the clients that have none.
func (s *Server) ResourceUpdatedFor(principal, uri string) {
	s.raise(change{Owned: &ownedURI{principal, uri}})
}

// Shutdown ends all subscriptions with a result (basic/patterns/subscriptions, Graceful Closure).
// It cancels the tasks that run. It waits for that, and for handlers that exceed the timeouts of
// their tools, until ctx ends.
// Sessions belong to their transports and continue.
func (s *Server) Shutdown(ctx context.Context) error {
	return cmp.Or(s.subscribers.close(ctx), s.endTasks(ctx), s.overdue.wait(ctx))
}

// Close ends all subscriptions and tasks without waiting. It always returns nil.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.subscribers.close(ctx)
	s.endTasks(ctx)
	return nil
}
