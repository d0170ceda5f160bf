package mcp

import (
	"cmp"
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
)

// hub tells listeners what has changed.
type hub struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	closed    bool
	closing   chan struct{}  // closed when the server ends
	running   sync.WaitGroup // goroutines that serve listeners
}

func (h *hub) init() {
	h.listeners = make(map[*listener]struct{})
	h.closing = make(chan struct{})
}

func (h *hub) add(l *listener) {
	h.mu.Lock()
	l.hub = h
	h.listeners[l] = struct{}{}
	h.mu.Unlock()
}

func (h *hub) remove(l *listener) {
	h.mu.Lock()
	delete(h.listeners, l)
	h.mu.Unlock()
	l.cancel()
}

// enter counts a goroutine that the server waits for when it ends. False: it has ended.
func (h *hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.running.Add(1)
	return true
}

// tell tells every listener.
func (h *hub) tell(push func(*listener)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		push(l)
	}
}

// close ends what listens, and waits for it until ctx ends.
func (h *hub) close(ctx context.Context) error {
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

// abort has listeners write nothing more.
func (h *hub) abort() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		l.cancel()
	}
}

// ToolsChanged tells clients that have asked for it that the list of tools has changed.
func (s *Server) ToolsChanged() {
	s.hub.tell(func(l *listener) { l.change(protocol.Lists{Tools: true}) })
}

// PromptsChanged tells clients that have asked for it that the list of prompts has changed.
func (s *Server) PromptsChanged() {
	s.hub.tell(func(l *listener) { l.change(protocol.Lists{Prompts: true}) })
}

// ResourcesChanged tells clients that have asked for it that the lists of resources have changed.
func (s *Server) ResourcesChanged() {
	s.hub.tell(func(l *listener) { l.change(protocol.Lists{Resources: true}) })
}

// ResourceUpdated tells clients that are subscribed to the resource that it has changed.
func (s *Server) ResourceUpdated(uri string) { s.hub.tell(func(l *listener) { l.update(uri) }) }

// Shutdown ends what clients listen to, with a result that says so (basic/patterns/subscriptions, Graceful Closure), and waits for that
// and for handlers that run past the timeouts of their tools until ctx ends. Sessions belong to their transports, and go on.
func (s *Server) Shutdown(ctx context.Context) error {
	return cmp.Or(s.hub.close(ctx), s.overdue.wait(ctx))
}

// Close is Shutdown without patience.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.hub.close(ctx)
	return nil
}
