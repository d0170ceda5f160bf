package stdio

import (
	"io"
	"os"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Option is an option of [Serve] or [Command].
type Option func(*options)

type options struct {
	session runtime.Options
	framing frame.Framing
	max     int
	in      io.Reader
	out     io.Writer
	grace   time.Duration
	stderr  io.Writer
	trace   func(sent bool, frame []byte)
}

func newOptions(opts []Option) options {
	o := options{in: os.Stdin, out: os.Stdout, grace: 5 * time.Second}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithOptions sets the options of the session.
func WithOptions(o runtime.Options) Option { return func(all *options) { all.session = o } }

// WithFraming sets the framing of messages. The default is [frame.Lines], as MCP requires (basic/transports/stdio).
func WithFraming(f frame.Framing) Option { return func(all *options) { all.framing = f } }

// WithMaxFrame sets the size limit of one message in bytes, in both directions. Zero means [frame.DefaultMax], which is 10 MiB.
func WithMaxFrame(max int) Option {
	return func(all *options) { all.max = max }
}

// WithInput makes [Serve] read from r instead of the standard input. If r is an io.Closer, Serve closes it to end a read that blocks. A file is not closed;
// its read is interrupted if the system can do that.
func WithInput(r io.Reader) Option { return func(all *options) { all.in = r } }

// WithOutput makes [Serve] write to w instead of the standard output. Serve does not close w.
func WithOutput(w io.Writer) Option { return func(all *options) { all.out = w } }

// WithTrace calls see with every message, see [frame.Trace].
func WithTrace(see func(sent bool, frame []byte)) Option {
	return func(all *options) { all.trace = see }
}

// traceConn returns conn with the trace, if there is one.
func (o options) traceConn(conn frame.Conn) frame.Conn {
	if o.trace == nil {
		return conn
	}
	return frame.Trace(conn, o.trace)
}

// WithGrace sets how long [Process.Close] waits at each step. Zero means 5 seconds.
func WithGrace(d time.Duration) Option {
	return func(all *options) {
		if d > 0 {
			all.grace = d
		}
	}
}

// WithStderr makes [Command] copy the standard error of the program to w. By default, only its end is kept, for errors.
func WithStderr(w io.Writer) Option { return func(all *options) { all.stderr = w } }
