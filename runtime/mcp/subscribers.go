package mcp

import (
	"context"
)

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
func (h *subscribers) subscribe(l *subscriber, uri string, o *Options) subscribeOutcome {
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
