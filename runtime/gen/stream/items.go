package stream

import (
	"context"
	"iter"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
)

// Items is a stream that this side reads. One goroutine uses it.
type Items[T, R any] struct {
	ctx    context.Context
	method string
	codec  Codec[T, R]
	in     *inbound
	leave  func(cause error)
	reader wire.Reader
	item   T // that is decoded
	unhook func() bool
	count  int

	watch  observers
	done   bool
	result R
	err    error
}

// Codec reads the values of a stream. A nil Check means that there are no rules, a nil Result that the response holds none.
type Codec[T, R any] struct {
	Item   func(r *wire.Reader, item *T)
	Check  func(vs *violation.List, item *T)
	Result func(r *wire.Reader, vs *violation.List, result *R)
	Errors func(*runtime.Error) error
}

// Open opens a stream with the request that send sends. It lasts until the loop over it is left, or ctx ends.
func Open[T, R any](ctx context.Context, conn runtime.Conn, method string, f *Form, c Codec[T, R], send func(q *gen.Request)) *Items[T, R] {
	s := &Items[T, R]{ctx: ctx, method: method, codec: c, in: &inbound{form: f}}
	open := func(session *runtime.Session) error {
		t, in := of(session), &inbound{form: f}
		s.in, s.leave = in, func(cause error) {
			if in.leave(cause) {
				t.stop(in)
			}
		}
		return ask(gen.NewRequest(&openingSession{session, t, in}, method), send)
	}
	s.watch = observe(ctx, conn, method)
	if exchange := tap.ExchangeOf(conn); exchange != nil && !f.First {
		inner, cancel := context.WithCancelCause(ctx)
		s.leave = func(cause error) {
			s.in.leave(cause)
			cancel(cause)
		}
		if s.err = ask(gen.NewRequest(&exchangingConn{conn, inner, exchange, s.in}, method), send); s.err != nil {
			cancel(s.err)
		}
	} else if again, ok := unwrap.As[reconnecting](conn); ok {
		s.err = again.Within(ctx, open)
	} else if session, ok := unwrap.As[*runtime.Session](conn); ok {
		s.err = open(session)
	} else {
		s.err = errUnsupported
	}
	if s.err == nil {
		s.unhook = context.AfterFunc(ctx, func() { s.leave(context.Cause(ctx)) })
	}
	return s
}

// observer is a connection around another one. It gets word of the streams that are opened or served through it, which take another way than calls.
type observer interface {
	Unwrap() runtime.Conn
	ObserveStream(ctx context.Context, method string) (end func(items int, err error))
}

// observers are those of one stream, until they know of its end.
type observers []func(items int, err error)

func observe(ctx context.Context, conn runtime.Conn, method string) (all observers) {
	for o, ok := unwrap.As[observer](conn); ok; o, ok = unwrap.As[observer](o.Unwrap()) {
		all = append(all, o.ObserveStream(ctx, method))
	}
	return all
}

func (all *observers) end(items int, err error) {
	for _, end := range *all {
		end(items, err)
	}
	*all = nil
}

// reconnecting is a connection with one session after the other. The Conn of package reconnect implements it.
type reconnecting interface {
	Within(ctx context.Context, f func(s *runtime.Session) error) error
}

func ask(q *gen.Request, send func(q *gen.Request)) (err error) {
	defer q.Close(&err)
	send(q)
	return q.Err()
}

// openingSession is a session on which a call opens a stream.
type openingSession struct {
	*runtime.Session
	t  *streams
	in *inbound
}

// Call implements [runtime.Conn]. It returns no response.
func (a *openingSession) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, a.t.ask(ctx, id, msg, a.in)
}

// answeredConn is a connection with a response that has arrived.
type answeredConn struct {
	runtime.Conn
	reply []byte
}

// NextID implements [runtime.Conn].
func (answeredConn) NextID(int) (int64, error) { return 0, nil }

// Call implements [runtime.Conn].
func (r answeredConn) Call(context.Context, int64, []byte) ([]byte, error) { return r.reply, nil }

// All returns the items in the order in which they were sent. At most one error follows, as the last. The stream ends when the loop is left.
func (s *Items[T, R]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer s.close()
		decode := s.decoder()
		for s.err == nil && !s.done {
			text, reply, err := s.in.next(s.ctx)
			if text == nil {
				s.done, s.err = true, err
				if err == nil {
					s.err = s.finish(reply)
				}
				break
			}
			if s.err = decode(text); s.err != nil {
				break
			}
			s.count++
			if !yield(s.item, nil) {
				s.err = errLeft
				return
			}
		}
		if s.err != nil {
			var none T
			yield(none, s.err)
		}
	}
}

// close ends the stream, and what waits for the end of the context.
func (s *Items[T, R]) close() {
	if err := s.err; err == errLeft {
		s.watch.end(s.count, nil)
	} else {
		s.watch.end(s.count, err)
	}
	if s.unhook != nil {
		s.unhook()
		s.leave(errLeft)
	}
}

// Result passes over the items that were not taken, and returns what the response holds at the end.
func (s *Items[T, R]) Result() (R, error) {
	for range s.All() {
	}
	return s.result, s.err
}

// Missed returns how many items went because there was no room for them.
func (s *Items[T, R]) Missed() int {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	return s.in.missed
}

// decoder returns the function that reads an item from the params of a notification.
func (s *Items[T, R]) decoder() func(text []byte) error {
	f := s.in.form
	id, value, names := string(member(nil, f.ID)), string(member(nil, f.Item)), f.ID+"\n"+f.Item
	read := func(r *wire.Reader) {
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			if r.Key(&o, 0, id) {
				r.Skip()
			}
			if r.Key(&o, 1, value) {
				s.codec.Item(r, &s.item)
			}
		}
		r.Need(&o, 0b11, names)
	}
	check := func(vs *violation.List) {
		if s.codec.Check != nil {
			s.codec.Check(vs, &s.item)
		}
	}
	var vs violation.List
	var none T
	return func(text []byte) error {
		s.item = none
		s.reader.Reset(text, 0, wire.MaxDepth)
		read(&s.reader)
		if check(&vs); !s.reader.Failed() && vs.Len() == 0 && s.reader.Pos() == len(text) {
			return nil
		}
		bad := &runtime.ResponseError{Method: s.method, What: "an item does not fit the schema"}
		err := wire.Unmarshal(text, read, check)
		if rules, ok := err.(*violation.Error); ok {
			bad.Violations = rules.Violations
		} else if err != nil {
			bad.What = err.Error()
		}
		return bad
	}
}

// finish reads the response.
func (s *Items[T, R]) finish(reply []byte) (err error) {
	q := gen.NewRequest(answeredConn{reply: reply}, s.method)
	defer q.Close(&err)
	q.SendEmpty(s.ctx)
	for q.Result(s.codec.Errors) {
		if s.codec.Result == nil {
			q.Reader().Skip()
		} else {
			s.codec.Result(q.Reader(), q.Violations(), &s.result)
		}
	}
	if s.in.form.First && q.Err() == nil {
		return errNoID
	}
	return q.Err()
}
