package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// watches holds the functions that handle notifications of the peer about one thing, such as the progress of one call. The zero value has none.
type watches struct {
	tap   atomic.Pointer[tap.Tap] // nil unless there are streams
	count atomic.Int64            // number of functions; looking up takes no lock while it is 0

	mu       sync.Mutex
	byMethod map[string]*watchers
}

// watchers holds the functions for one method.
type watchers struct {
	member string
	byKey  map[string]*func(c *Call) // by [ID.Key]
}

// Watch has f handle the notifications of the peer called method whose params have the given id in member, instead of the handler of the session, until
// stop is called. A function for the same id is replaced. The function f is called as a handler is, one notification after the other; it is not called
// after stop has returned, unless it was running.
func (s *Session) Watch(method, member string, id ID, f func(c *Call)) (stop func()) {
	return s.watches.add(method, member, id, f)
}

func (w *watches) add(method, member string, id ID, f func(c *Call)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byMethod[method]
	if of == nil {
		of = &watchers{member: member, byKey: make(map[string]*func(c *Call))}
		if w.byMethod == nil {
			w.byMethod = make(map[string]*watchers)
		}
		w.byMethod[method] = of
	}
	key := id.Key()
	of.byKey[key] = &f
	w.count.Add(1)
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if of.byKey[key] == &f { // and not one that has replaced it
			delete(of.byKey, key)
		}
		if len(of.byKey) == 0 && w.byMethod[method] == of {
			delete(w.byMethod, method)
		}
		w.count.Add(-1)
	})
}

// find returns the function that handles the notification c, or nil.
func (w *watches) find(c *Call) func(c *Call) {
	if w.count.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byMethod[c.env.Method]
	if of == nil {
		return nil
	}
	id, ok := wire.ParseID(c.PeekParams().In(of.member).JSON())
	if !ok {
		return nil
	}
	if f := of.byKey[id.Key()]; f != nil {
		return *f
	}
	return nil
}

// watch runs f for the notification c.
func watch(ctx context.Context, c *Call, f func(c *Call)) {
	defer c.recover()
	c.ctx = ctx
	f(c)
}

// takes reports whether a notification is an item of a stream, which keeps it.
func (w *watches) takes(method string, params []byte, size int) bool {
	t := w.tap.Load()
	return t != nil && (*t).Item(method, params, size)
}

// busy reports whether streams are read.
func (w *watches) busy() bool {
	t := w.tap.Load()
	return t != nil && (*t).Busy()
}

// ends reports whether calls of the method end streams.
func (w *watches) ends(method string) bool {
	t := w.tap.Load()
	return t != nil && (*t).Ends(method)
}

// streams calls f if there are streams.
func (w *watches) streams(f func(t tap.Tap)) {
	if t := w.tap.Load(); t != nil {
		f(*t)
	}
}

// Tap returns the streams of a [Session], which made makes if there are none yet; without a session, those of one call whose response is a stream, as over
// HTTP. It is for generated code. Of the functions that made gets:
//
//   - Ask sends the request msg with an id of NextID. Its response, or the end of the session, is passed to then in the goroutine that reads, before that reads
//     the next message. The function forget ends the waiting, and reports whether then will not be called. If there is an error, it is not called.
//   - Post sends an item. It waits for room alone, and not until the item is written.
//   - Count says how many items the handler of a call has sent, see [Call.Items].
//   - Detach makes a call, a [*Call] with the context ctx, one whose handler may run for long: it counts as a stream and no longer as a call, and has no
//     timeout in the context that is returned. The function answer answers before the handler returns, unless the call is answered. In batches, and if there
//     are too many streams, which is answered, the context is nil. Without a session, there are no Ask and no answer.
func Tap(session Conn, made func(tap.Seam) tap.Tap) tap.Tap {
	s, ok := session.(*Session)
	if !ok {
		return tapResponse(made)
	}
	if s.watches.tap.Load() == nil {
		t := made(tap.Seam{Ask: func(ctx context.Context, id int64, msg []byte, then func(reply []byte, err error)) (forget func() bool, err error) {
			w, err := s.roundTrip(ctx, id, nil, msg, then)
			return func() bool { return s.outgoing.abandon(w) }, err
		}, Post: func(ctx context.Context, msg []byte) error {
			if len(msg) > s.d.opts.MaxMessage {
				return &frame.TooLargeError{Size: int64(len(msg)), Max: s.d.opts.MaxMessage}
			}
			_, err := s.post(ctx, msg, anItem, false)
			return writeError(ctx, err)
		}, Count: func(call any, items int) {
			call.(*Call).items = items
		}, Detach: func(ctx context.Context, call any) (lasting context.Context, answer func(result []byte) bool) {
			c := call.(*Call)
			l, ok := c.late.(*callContext)
			if !ok {
				return nil, nil
			}
			in, most := &l.s.inbound, int64(c.d.opts.MaxStreams)
			if in.detached.Add(1) > most {
				in.detached.Add(-1)
				c.Condition(Condition{Kind: when.TooManyStreams, Method: c.env.Method, Limit: int(most), Reason: "too many streams"})
				return nil, nil
			}
			in.slots.Add(-1)
			l.limit(time.Time{}, 0)
			l.limited.Store(false)
			c.timed, c.stream, l.detached = nil, true, true
			return withoutTimeouts(ctx), func(result []byte) bool {
				ok := l.claim()
				if ok {
					b := append(append([]byte(responseHead), l.idText()...), resultMember...)
					l.answerLate(append(append(b, result...), '}'), ErrorObject{})
				}
				return ok
			}
		}})
		s.watches.tap.CompareAndSwap(nil, &t)
	}
	return *s.watches.tap.Load()
}

// tapResponse returns the streams of one call outside of sessions.
func tapResponse(made func(tap.Seam) tap.Tap) (t tap.Tap) {
	var r tap.Response
	var most int
	t = made(tap.Seam{Post: func(ctx context.Context, msg []byte) error {
		if len(msg) > most {
			return &frame.TooLargeError{Size: int64(len(msg)), Max: most}
		}
		return r.Post(ctx, msg)
	}, Count: func(call any, items int) {
		call.(*Call).items = items
	}, Detach: func(ctx context.Context, call any) (lasting context.Context, answer func(result []byte) bool) {
		c := call.(*Call)
		if c.dispatched == nil || !c.finish() || c.IsNotification() {
			return nil, nil
		}
		r, _ = c.dispatched.Value(contextkey.Response{}).(tap.Response)
		if r == nil || c.late != nil && !c.late.claim() {
			return nil, nil
		}
		most, c.late, c.timed = c.d.opts.MaxMessage, nil, nil
		if c.stream = r.Begin(c, t.Stop); !c.stream {
			return nil, nil
		}
		return withoutTimeouts(ctx), nil
	}})
	return t
}

// withoutTimeouts returns the context of a call without the timeouts of [Call.WithTimeout].
func withoutTimeouts(ctx context.Context) context.Context {
	for t, ok := ctx.(*timeoutContext); ok; t, ok = ctx.(*timeoutContext) {
		ctx = t.Context
	}
	return ctx
}
