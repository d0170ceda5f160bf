package tcp

import (
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Option is a choice for [Serve], [ListenAndServe] or [Dial].
type Option func(*options)

type options struct {
	session  runtime.Options
	framing  frame.Framing
	max      int
	conns    int
	each     int // connections of one address; 0: half of conns
	pending  int64
	grace    time.Duration
	first    time.Duration
	message  time.Duration
	idle     time.Duration // 0: none
	write    time.Duration
	accepted func(*runtime.Session)
}

func newOptions(opts []Option) options {
	o := options{
		conns: 1024, pending: 256 << 20, grace: 5 * time.Second, first: 30 * time.Second, message: 30 * time.Second,
		write: 30 * time.Second,
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.each == 0 {
		o.each = max(1, o.conns/2)
	}
	return o
}

// WithOptions sets the limits and habits of every session.
func WithOptions(o runtime.Options) Option { return func(all *options) { all.session = o } }

// WithFraming sets how messages are put on the stream. The default is [frame.Lines].
func WithFraming(f frame.Framing) Option { return func(all *options) { all.framing = f } }

// WithMaxFrame sets the size limit of one message in bytes, both ways. Zero means [frame.DefaultMax], 10 MiB.
func WithMaxFrame(max int) Option { return func(all *options) { all.max = max } }

// WithMaxConns sets how many connections are served at the same time. One more is answered with an error, as overloaded, and closed. Zero
// means 1024.
func WithMaxConns(n int) Option { return positive(n, func(all *options) { all.conns = n }) }

// WithMaxConnsPerAddress sets how many of them may come from one address, of IPv6 from one network of 64 bits. One more is answered with an
// error, as rate limited, and closed. Zero means half of [WithMaxConns].
func WithMaxConnsPerAddress(n int) Option { return positive(n, func(all *options) { all.each = n }) }

// WithMaxPending sets how many bytes of memory messages may hold that have arrived in part, over all connections of a server. A connection
// whose message would take more is closed. Zero means 256 MiB.
func WithMaxPending(bytes int64) Option {
	return positive(bytes, func(all *options) { all.pending = bytes })
}

// WithFirstTimeout sets how long a new connection may take for its first message before [Serve] closes it. Zero means 30 seconds, less than
// zero no limit.
func WithFirstTimeout(d time.Duration) Option { return given(d, func(all *options) { all.first = d }) }

// WithMessageTimeout sets how long a message may take from its first byte to its last before the connection is closed. Zero means 30 seconds,
// less than zero no limit.
func WithMessageTimeout(d time.Duration) Option {
	return given(d, func(all *options) { all.message = d })
}

// WithIdleTimeout sets how long a connection may be without a message and without calls in flight before it is closed. Zero or less means no
// limit, which is the default.
func WithIdleTimeout(d time.Duration) Option { return func(all *options) { all.idle = max(d, 0) } }

// WithWriteTimeout sets how long writing one message may take before the connection is given up. Zero means 30 seconds.
func WithWriteTimeout(d time.Duration) Option {
	return positive(d, func(all *options) { all.write = d })
}

// WithGrace sets how long the calls in flight may take when serving ends. Zero means 5 seconds.
func WithGrace(d time.Duration) Option { return positive(d, func(all *options) { all.grace = d }) }

// WithSession has f called with every session that [Serve] starts, before the next connection is accepted.
func WithSession(f func(*runtime.Session)) Option { return func(all *options) { all.accepted = f } }

// positive is an option whose value counts when it is above zero.
func positive[T int | int64 | time.Duration](v T, set Option) Option {
	if v > 0 {
		return set
	}
	return func(*options) {}
}

// given is an option whose value counts when it is not zero.
func given(d time.Duration, set Option) Option {
	if d != 0 {
		return set
	}
	return func(*options) {}
}
