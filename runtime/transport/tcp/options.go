package tcp

import (
	"cmp"
	"context"
	"net"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Option is an option of [Serve], [ListenAndServe] or [Dial].
type Option func(*options)

type options struct {
	session  runtime.Options
	framing  frame.Framing
	max      int
	conns    int
	each     int // connections of one address; 0 means half of conns
	pending  int64
	bytes    int64
	grace    time.Duration
	first    time.Duration
	message  time.Duration
	idle     time.Duration // 0 means no limit
	write    time.Duration
	accepted func(*runtime.Session)
	auth     func(context.Context, net.Conn) (context.Context, error) // nil if every client may connect
}

func newOptions(opts []Option) options {
	o := options{
		conns: 1024, pending: 256 << 20, bytes: 1 << 30, grace: 5 * time.Second, first: 30 * time.Second, message: 30 * time.Second,
		write: 30 * time.Second,
	}
	for _, opt := range opts {
		opt(&o)
	}
	o.each = cmp.Or(o.each, max(1, o.conns/2))
	return o
}

// WithOptions sets the options of every session.
func WithOptions(o runtime.Options) Option { return func(all *options) { all.session = o } }

// WithFraming sets the framing of messages. The default is [frame.Lines].
func WithFraming(f frame.Framing) Option { return func(all *options) { all.framing = f } }

// WithMaxFrame sets the size limit of one message in bytes, in both directions. Zero means [frame.DefaultMax], which is 10 MiB.
func WithMaxFrame(max int) Option { return func(all *options) { all.max = max } }

// WithMaxConns limits the connections that are served at the same time. A further connection gets
// an error of the condition Overloaded and is closed. Zero means 1024.
func WithMaxConns(n int) Option { return positive(n, func(all *options) { all.conns = n }) }

// WithMaxConnsPerAddress limits the connections from one address; for IPv6, from one network of 64 bits. A further connection gets an error of the condition
// RateLimited and is closed. Zero means half of [WithMaxConns].
func WithMaxConnsPerAddress(n int) Option { return positive(n, func(all *options) { all.each = n }) }

// WithMaxPending limits the memory, in bytes, of messages that have arrived partly, over all connections of a server. A connection whose message would exceed
// it is closed. Zero means 256 MiB.
func WithMaxPending(bytes int64) Option {
	return positive(bytes, func(all *options) { all.pending = bytes })
}

// WithMaxBytes limits the memory, in bytes, of messages that are handled or wait, over all connections of a server; the connections from one address may take
// half of it. Beyond it a session behaves as beyond [runtime.Options.MaxBytes]. Zero means 1 GiB.
func WithMaxBytes(bytes int64) Option {
	return positive(bytes, func(all *options) { all.bytes = bytes })
}

// WithFirstTimeout sets how long [Serve] waits for the first message of a new connection before it
// closes it. Zero means 30 seconds, a negative value no limit.
func WithFirstTimeout(d time.Duration) Option { return ifSet(d, func(all *options) { all.first = d }) }

// WithMessageTimeout sets how long a message may take from its first byte to its last one before
// the connection is closed. Zero means 30 seconds, a negative value no limit.
func WithMessageTimeout(d time.Duration) Option {
	return ifSet(d, func(all *options) { all.message = d })
}

// WithIdleTimeout sets how long a connection may have no message and no call in flight before it is
// closed. By default, and if d is not positive, there is no limit.
func WithIdleTimeout(d time.Duration) Option { return func(all *options) { all.idle = max(d, 0) } }

// WithWriteTimeout sets how long writing one message may take before the connection is closed. Zero means 30 seconds.
func WithWriteTimeout(d time.Duration) Option {
	return positive(d, func(all *options) { all.write = d })
}

// WithGrace sets how long calls in flight may take after the end of the context of [Serve]. Zero means 5 seconds.
func WithGrace(d time.Duration) Option { return positive(d, func(all *options) { all.grace = d }) }

// WithSession sets a function that [Serve] calls with every session that it starts; without [WithAuth] before it accepts the next connection.
func WithSession(f func(*runtime.Session)) Option { return func(all *options) { all.accepted = f } }

// WithAuth sets a function that authenticates every connection of [Serve] before its session starts: it returns the context of the handlers of the session,
// such as one of principal.With. It runs in a goroutine of its own, within the time of [WithFirstTimeout]. A connection for which it returns an error, or
// panics, is closed.
func WithAuth(auth func(ctx context.Context, c net.Conn) (context.Context, error)) Option {
	return func(all *options) { all.auth = auth }
}

// positive returns an option that has an effect if its value is positive.
func positive[T int | int64 | time.Duration](v T, set Option) Option {
	if v > 0 {
		return set
	}
	return func(*options) {}
}

// ifSet returns an option that has an effect if its value is not zero.
func ifSet(d time.Duration, set Option) Option {
	if d != 0 {
		return set
	}
	return func(*options) {}
}
