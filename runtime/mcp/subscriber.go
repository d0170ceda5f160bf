package mcp

import (
	"context"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// newSubscriber returns the subscriber for a session, or for a stateless request if subscription is
// its tag.
func newSubscriber(conn runtime.Conn, subscription []byte) *subscriber {
	l := &subscriber{conn: conn, tag: subscription, uris: make(map[string]bool)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// want sets the lists whose changes are sent, those since the handshake included: the client may have read the
// lists before its notification that it is ready is handled.
func (h *subscribers) want(l *subscriber, lists protocol.Lists) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.mu.Lock()
	early := l.early
	l.wants, l.early = lists, protocol.Lists{}
	l.mu.Unlock()
	l.change(early)
}

// subscribeOutcome is the outcome of a request to subscribe to a resource.
type subscribeOutcome int

const (
	subscribedNow        subscribeOutcome = iota
	subscribedBefore                      // or the session has ended
	tooManySubscriptions                  // see [Options.MaxSubscriptions]
	notSubscribable                       // there is no such resource, or it has no subscriptions
)

// subscribe adds a resource. The lock of the watches must be held.
func (l *subscriber) subscribe(uri string, o *Options) subscribeOutcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, twice := l.uris[uri]; twice || l.uris == nil {
		return subscribedBefore
	}
	if len(l.uris) >= o.MaxSubscriptions || l.bytes+len(uri) > o.MaxSubscriptionBytes {
		return tooManySubscriptions
	}
	l.bytes += len(uri)
	l.uris[uri] = false
	return subscribedNow
}

// unsubscribe removes a resource, and reports whether it was there. An update that was not sent yet is
// dropped. The lock of the watches must be held.
func (l *subscriber) unsubscribe(uri string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, there := l.uris[uri]
	if there {
		l.bytes -= len(uri)
		delete(l.uris, uri)
	}
	return there
}

// forget removes all resources and returns them. No other can be added then. The lock of the watches
// must be held.
func (l *subscriber) forget() (uris map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	uris, l.uris, l.bytes = l.uris, nil, 0
	return uris
}

// over reports whether forget was called.
func (l *subscriber) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uris == nil
}

// show sets which updates the client may learn of, from now on: those that the caller with the context sees.
func (l *subscriber) show(ctx context.Context, s *Server) {
	sees, owner := s.updatesFor(ctx), PrincipalFrom(ctx)
	l.mu.Lock()
	l.sees, l.owner = sees, owner
	l.mu.Unlock()
}

// ownedBy reports whether the client has the principal.
func (l *subscriber) ownedBy(principal string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner == principal
}

// change notes that lists have changed.
func (l *subscriber) change(lists protocol.Lists) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wants == (protocol.Lists{}) {
		l.early = l.early.Or(lists)
	}
	if news := l.wants.And(lists); news != (protocol.Lists{}) && !l.ending {
		l.changed = l.changed.Or(news)
		l.wake()
	}
}

// update notes that a resource has changed.
func (l *subscriber) update(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if noted, subscribed := l.uris[uri]; subscribed && !noted && !l.ending {
		l.uris[uri] = true
		l.updated = append(l.updated, uri)
		l.wake()
	}
}

// wake starts a goroutine that sends, unless one is running. The locks of the subscriber and of the
// set must be held.
func (l *subscriber) wake() {
	if l.busy || l.subscribers.closed {
		return
	}
	l.busy = true
	l.subscribers.running.Go(l.send)
}

// send sends notifications until none is left. If the client cannot be reached, the rest is
// dropped.
func (l *subscriber) send() {
	for {
		msg, uri, task := l.next()
		switch {
		case task != "":
			msg = l.taskUpdated(task)
		case uri != "":
			msg = l.resourceUpdated(uri)
		case msg == nil:
			return
		}
		if msg == nil {
			continue
		}
		if err := l.conn.Notify(l.ctx, msg); err != nil {
			l.cancel()
		}
	}
}

// next returns the next notification, or the resource or the id of the task that it is about. If none is left
// it returns nothing, and the caller stops sending, in one step: a change that is noted later starts
// a new goroutine.
func (l *subscriber) next() (msg []byte, uri, task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() == nil {
		if msg := l.listChanged(); msg != nil {
			return msg, "", ""
		}
		if uri := l.nextUpdated(); uri != "" {
			return nil, uri, ""
		}
		if len(l.tasks) > 0 {
			task, l.tasks = l.tasks[0], l.tasks[1:]
			return nil, "", task
		}
	}
	l.busy = false
	if l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return nil, "", ""
}

// listChanged returns the notification of a list that has changed, or nil.
func (l *subscriber) listChanged() []byte {
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

// nextUpdated returns the resource that changed first, or nothing. The lock must be held.
func (l *subscriber) nextUpdated() string {
	for len(l.updated) > 0 {
		uri := l.updated[0]
		l.updated = l.updated[1:]
		if l.uris[uri] {
			l.uris[uri] = false
			return uri
		}
	}
	l.updated = nil
	return ""
}

// resourceUpdated returns the notification of a resource. It is nil if the client does not see the
// resource any more.
func (l *subscriber) resourceUpdated(uri string) []byte {
	l.mu.Lock()
	sees := l.sees
	l.mu.Unlock()
	if sees != nil && !sees(uri) {
		return nil
	}
	return l.message("notifications/resources/updated", uri)
}

// message returns a notification. If uri is not empty, it is a param.
func (l *subscriber) message(method, uri string) []byte {
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

// quiet waits until everything is sent, and stops noting changes.
func (l *subscriber) quiet() {
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

// state returns what the client has subscribed to.
func (l *subscriber) state() (lists protocol.Lists, uris []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wants, slices.Sorted(maps.Keys(l.uris))
}

// noteMissed notes that everything may have changed that the client subscribed to. The lock of the set must be held.
func (l *subscriber) noteMissed() {
	_, uris := l.state()
	l.change(protocol.Lists{Tools: true, Prompts: true, Resources: true})
	for _, uri := range uris {
		l.update(uri)
	}
}

// changeTask notes that a task has changed.
func (l *subscriber) changeTask(id string) {
	l.subscribers.mu.Lock()
	defer l.subscribers.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ending && !slices.Contains(l.tasks, id) {
		l.tasks = append(l.tasks, id)
		l.wake()
	}
}

// taskUpdated returns the notification of a task, with all that tasks/get answers (SEP-2663, Task
// Status Notifications). It is nil if the task has expired.
func (l *subscriber) taskUpdated(id string) []byte {
	state := l.render(id)
	if state == nil {
		return nil
	}
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{`), l.tag...)
	b = append(append(b, ','), state[1:]...)
	return append(b, '}')
}
