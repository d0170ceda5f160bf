package stream

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
)

// streams are the streams of a session. They implement [tap.Tap].
type streams struct {
	session *runtime.Session
	out     runtime.Conn // sends items
	tap.Seam

	mu     sync.Mutex
	forms  map[string]*notificationInfo // by the notification that is their item
	asked  int                          // requests whose response is to bring the id of a stream
	early  []earlyItem                  // items whose stream is not known, as long as such a request is on the way
	bytes  int                          // of those
	ended  []key                        // the streams that have ended last
	oldest int                          // index in ended, once that has mostEnded
	over   error                        // nothing is read any more

	serving map[*Out]struct{}
	own     map[string]*Out // by their ids, if these are not those of requests
	ends    map[string]bool // the methods that end those
	stopped bool            // no further ones are served
}

// key tells streams apart: the notification, and the key of the id.
type key struct{ method, id string }

// notificationInfo is what is known of a notification.
type notificationInfo struct {
	method  string
	member  string              // its id
	reading map[string]*inbound // by the key of the id
	asked   int                 // requests as in streams.asked
}

type earlyItem struct {
	key  key
	text []byte
	size int
}

// The limits of what a session keeps of streams that it does not know; of more, the oldest go.
const (
	mostEarly      = 256
	mostEarlyBytes = 1 << 20
	mostEnded      = 1024 // streams whose items are told from early ones
)

// of returns the streams of the session that conn is, or wraps; nil if there is none.
func of(conn runtime.Conn) *streams {
	s, ok := unwrap.As[*runtime.Session](conn)
	if !ok {
		return nil
	}
	return runtime.Tap(s, func(seam tap.Seam) tap.Tap { return newStreams(s, s, seam) }).(*streams)
}

// newStreams returns the streams of a session, or those of one call if both are nil.
func newStreams(s *runtime.Session, conn runtime.Conn, seam tap.Seam) *streams {
	return &streams{session: s, out: &posting{conn, seam.Post}, Seam: seam, forms: map[string]*notificationInfo{},
		serving: map[*Out]struct{}{}, own: map[string]*Out{}, ends: map[string]bool{}}
}

// posting is a connection whose notifications are items.
type posting struct {
	runtime.Conn
	post func(ctx context.Context, msg []byte) error
}

// Notify implements [runtime.Conn].
func (p *posting) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.post(ctx, msg)
}

// ask sends a request for the stream in.
func (t *streams) ask(ctx context.Context, id int64, msg []byte, in *inbound) error {
	t.mu.Lock()
	n := t.forms[in.form.Method]
	if n == nil {
		n = &notificationInfo{method: in.form.Method, member: in.form.ID, reading: map[string]*inbound{}}
		t.forms[in.form.Method] = n
	}
	if in.form.First {
		t.asked, n.asked = t.asked+1, n.asked+1
	} else {
		n.add(in, wire.IntID(id))
	}
	t.mu.Unlock()
	forget, err := t.Ask(ctx, id, msg, func(reply []byte, err error) { t.handleResponse(in, n, reply, err) })
	if err != nil {
		t.handleResponse(in, n, nil, err)
		return err
	}
	t.mu.Lock()
	in.forget = forget
	t.mu.Unlock()
	return nil
}

// handleResponse handles the response to the request for a stream, before the next message is read: so no item comes before its stream is known.
func (t *streams) handleResponse(in *inbound, n *notificationInfo, reply []byte, err error) {
	if !in.form.First {
		t.mu.Lock()
		t.removeLocked(in)
		t.mu.Unlock()
		in.finish(reply, err)
		return
	}
	t.mu.Lock()
	t.asked, n.asked = t.asked-1, n.asked-1
	id, ok := wire.ParseID(wire.PeekAt(reply).In("result").JSON())
	k := key{in.form.Method, id.Key()}
	if over := t.over; ok && over != nil {
		reply, err, ok = nil, over, false
	} else if ok && n.reading[k.id] != nil {
		reply, err, ok = nil, errTwice, false
	}
	var early []earlyItem
	if ok {
		n.add(in, id)
		if i := slices.Index(t.ended, k); i >= 0 {
			t.ended[i] = key{} // the peer uses it again
		}
		t.early = slices.DeleteFunc(t.early, func(i earlyItem) bool {
			if i.key == k {
				early, t.bytes = append(early, i), t.bytes-i.size
			}
			return i.key == k
		})
	}
	if t.asked == 0 {
		t.early, t.bytes = nil, 0
	}
	t.mu.Unlock()
	if !ok {
		in.finish(reply, err)
		return
	}
	fast := !in.left()
	for _, i := range early {
		fast = in.put(i.text, i.size) && fast
	}
	if !fast { // the reader has left, or is too slow already
		go t.stop(in)
	}
}

// add adds a stream that is read, and has an id now.
func (n *notificationInfo) add(in *inbound, id wire.ID) {
	in.id, in.key = id, key{n.method, id.Key()}
	n.reading[in.key.id] = in
}

// removeLocked forgets a stream that is read, and remembers that it has ended: items that are on the way are dropped. It reports false if that was done.
func (t *streams) removeLocked(in *inbound) bool {
	n := t.forms[in.form.Method]
	if n.reading[in.key.id] != in {
		return false
	}
	delete(n.reading, in.key.id)
	if len(t.ended) < mostEnded {
		t.ended = append(t.ended, in.key)
		return true
	}
	t.ended[t.oldest] = in.key
	t.oldest = (t.oldest + 1) % mostEnded
	return true
}

// Item implements [tap.Tap]. One goroutine calls it, so that items stay in their order.
func (t *streams) Item(method string, params []byte, size int) bool {
	t.mu.Lock()
	n := t.forms[method]
	if n == nil {
		t.mu.Unlock()
		return false
	}
	text := wire.PeekAt(params).In(n.member).JSON()
	in := n.reading[string(text)] // most ids are their own keys
	if in == nil {
		in = t.unusualLocked(n, text, params, size)
	}
	t.mu.Unlock()
	if in != nil && !in.put(params, size) {
		go t.stop(in)
	}
	return true
}

// unusualLocked finds the stream of an item whose id is written in another way, or keeps the item if its stream may not be known yet.
func (t *streams) unusualLocked(n *notificationInfo, text, params []byte, size int) *inbound {
	id, ok := wire.ParseID(text)
	k := key{n.method, id.Key()}
	if in := n.reading[k.id]; in != nil || !ok || n.asked == 0 || slices.Contains(t.ended, k) {
		return in
	}
	t.early = append(t.early, earlyItem{k, params, size})
	for t.bytes += size; len(t.early) > mostEarly || t.bytes > mostEarlyBytes && len(t.early) > 1; {
		t.bytes -= t.early[0].size
		t.early[0].text = nil
		t.early = t.early[1:]
	}
	return nil
}

// stop tells the peer, once, that a stream is not read any more. One whose id is not known is stopped when it is.
func (t *streams) stop(in *inbound) {
	t.mu.Lock()
	known := t.removeLocked(in)
	id, forget := in.id, in.forget
	t.mu.Unlock()
	if !known {
		return
	}
	msg := []byte(`{"jsonrpc":"2.0",`)
	if in.form.First {
		n, err := t.session.NextID(1)
		if err != nil {
			return
		}
		msg = append(wire.AppendInt(append(msg, `"id":`...), n), ',')
	} else if forget != nil {
		forget()
	}
	msg = append(wire.AppendString(append(msg, `"method":`...), in.form.End), `,"params":`...)
	if in.form.EndID != "" {
		msg = append(wire.AppendID(member(append(msg, '{'), in.form.EndID), id), "}}"...)
	} else {
		msg = append(wire.AppendID(append(msg, '['), id), "]}"...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	_ = t.session.Notify(ctx, msg) // the session is about to end if this fails
}

// stopTime is how long the message that ends a stream may wait for others to be written.
const stopTime = time.Second

// Ends implements [tap.Tap].
func (t *streams) Ends(method string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ends[method]
}

// Busy implements [tap.Tap].
func (t *streams) Busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.forms {
		if n.asked > 0 || len(n.reading) > 0 {
			return true
		}
	}
	return false
}

// Stop implements [tap.Tap].
func (t *streams) Stop() {
	t.mu.Lock()
	t.stopped = true
	all := slices.Collect(maps.Keys(t.serving))
	t.mu.Unlock()
	for _, o := range all {
		o.cancel(errShutdown)
	}
}

// End implements [tap.Tap]. The peer cannot end any more what it has to end with a request.
func (t *streams) End(cause error) {
	t.mu.Lock()
	var all []*inbound
	for _, n := range t.forms {
		all = slices.AppendSeq(all, maps.Values(n.reading))
		clear(n.reading)
	}
	served := slices.Collect(maps.Values(t.own))
	t.over = cause
	t.mu.Unlock()
	for _, in := range all {
		in.finish(nil, cause)
	}
	for _, o := range served {
		o.cancel(cause)
	}
}
