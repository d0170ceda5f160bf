package mcp

import (
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// listener is a client that hears of changes: a session, or a request of the stateless era. What it has not been told yet is kept once
// per list and resource, however often these change; so a slow client costs little and misses nothing.
type listener struct {
	hub    *hub
	conn   runtime.Conn
	ctx    context.Context // of its messages
	cancel context.CancelFunc
	tag    []byte // params that carry the id of the subscription; nil: a session has none

	mu      sync.Mutex
	wants   protocol.Lists
	uris    map[string]bool // subscribed to; true: its update is to be told
	bytes   int             // of uris
	changed protocol.Lists  // is to be told
	updated []string        // of uris, in the order in which they changed
	busy    bool            // a goroutine is telling
	ending  bool            // nothing new is to be told
	idle    chan struct{}   // closed when that is over; nil: nobody waits for it
}

// newListener returns a listener of a session; with the id of a subscription it is one of a stateless request.
func newListener(conn runtime.Conn, subscription []byte) *listener {
	l := &listener{conn: conn, tag: subscription, uris: make(map[string]bool)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// want has the listener hear of lists.
func (l *listener) want(lists protocol.Lists) {
	l.mu.Lock()
	l.wants = lists
	l.mu.Unlock()
}

// subscribe has the listener hear of a resource. False: it hears of too many.
func (l *listener) subscribe(uri string, o *Options) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, twice := l.uris[uri]; twice {
		return true
	}
	if len(l.uris) >= o.MaxSubscriptions || l.bytes+len(uri) > o.MaxSubscriptionBytes {
		return false
	}
	l.bytes += len(uri)
	l.uris[uri] = false
	return true
}

// unsubscribe ends that; what was not told yet is not told any more.
func (l *listener) unsubscribe(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, subscribed := l.uris[uri]; subscribed {
		l.bytes -= len(uri)
		delete(l.uris, uri)
	}
}

// change notes that lists have changed.
func (l *listener) change(lists protocol.Lists) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if news := l.wants.And(lists); news != (protocol.Lists{}) && !l.ending {
		l.changed = l.changed.Or(news)
		l.tell()
	}
}

// update notes that a resource has changed.
func (l *listener) update(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if noted, subscribed := l.uris[uri]; subscribed && !noted && !l.ending {
		l.uris[uri] = true
		l.updated = append(l.updated, uri)
		l.tell()
	}
}

// tell has a goroutine send what is to be told, if none does. The lock is held, and that of the hub.
func (l *listener) tell() {
	if l.busy || l.hub.closed {
		return
	}
	l.busy = true
	l.hub.running.Add(1)
	go func() {
		defer l.hub.running.Done()
		l.send()
	}()
}

// send sends until there is nothing more to be told. A client that cannot be reached is told nothing more.
func (l *listener) send() {
	for {
		msg := l.next()
		if msg == nil {
			return
		}
		if err := l.conn.Notify(l.ctx, msg); err != nil {
			l.cancel()
		}
	}
}

// next returns the next message; nil: there is none any more, and the goroutine ends.
func (l *listener) next() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() == nil {
		if msg := l.listChanged(); msg != nil {
			return msg
		}
		if msg := l.resourceUpdated(); msg != nil {
			return msg
		}
	}
	l.busy = false
	if l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return nil
}

// listChanged returns the message about one of the lists that have changed.
func (l *listener) listChanged() []byte {
	for _, list := range [...]struct {
		changed *bool
		method  string
	}{
		{&l.changed.Tools, "notifications/tools/list_changed"},
		{&l.changed.Prompts, "notifications/prompts/list_changed"},
		{&l.changed.Resources, "notifications/resources/list_changed"},
	} {
		if *list.changed {
			*list.changed = false
			return l.message(list.method, "")
		}
	}
	return nil
}

// resourceUpdated returns the message about the resource that changed first.
func (l *listener) resourceUpdated() []byte {
	for len(l.updated) > 0 {
		uri := l.updated[0]
		l.updated = l.updated[1:]
		if l.uris[uri] {
			l.uris[uri] = false
			return l.message("notifications/resources/updated", uri)
		}
	}
	l.updated = nil
	return nil
}

// message returns a notification; a URI is its param.
func (l *listener) message(method, uri string) []byte {
	b := append(make([]byte, 0, 160+len(uri)), `{"jsonrpc":"2.0","method":"`...)
	b = append(append(b, method...), '"')
	if uri == "" && l.tag == nil {
		return append(b, '}')
	}
	b = append(b, `,"params":`...)
	start := len(b)
	if l.tag != nil {
		b = append(append(b, ','), l.tag...)
	}
	if uri != "" {
		b = wire.AppendString(append(b, `,"uri":`...), uri)
	}
	return append(wire.CloseObject(b, start), '}')
}

// quiet waits until everything is told, and keeps it so.
func (l *listener) quiet() {
	l.mu.Lock()
	l.ending = true
	if l.busy && l.idle == nil {
		l.idle = make(chan struct{})
	}
	idle := l.idle
	l.mu.Unlock()
	if idle != nil {
		<-idle
	}
}
