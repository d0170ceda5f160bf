package stdio

import (
	"io"
	"os"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Option is a choice for [Serve] or [Command].
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

// WithOptions sets the limits and habits of the session.
func WithOptions(o runtime.Options) Option { return func(all *options) { all.session = o } }

// WithFraming sets how messages are put on the stream. The default is [frame.Lines].
func WithFraming(f frame.Framing) Option { return func(all *options) { all.framing = f } }

// WithMaxFrame sets the size limit of one message in bytes, both ways. Zero means [frame.DefaultMax], 10 MiB.
func WithMaxFrame(max int) Option {
	return func(all *options) { all.max = max }
}

// WithInput makes [Serve] read from r in place of the standard input. When r can be closed, Serve closes it to end a read that
// blocks; of a file it ends the read only, when the system can.
func WithInput(r io.Reader) Option { return func(all *options) { all.in = r } }

// WithOutput makes [Serve] write to w in place of the standard output. It is not closed.
func WithOutput(w io.Writer) Option { return func(all *options) { all.out = w } }

// WithTrace shows every message that passes to see; [frame.Trace] says what holds for it.
func WithTrace(see func(sent bool, frame []byte)) Option {
	return func(all *options) { all.trace = see }
}

// traced is conn, with the trace that was asked for.
func (o options) traced(conn frame.Conn) frame.Conn {
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

// WithStderr makes [Command] copy the program's standard error to w. Nil means that only its end is kept, for errors.
func WithStderr(w io.Writer) Option { return func(all *options) { all.stderr = w } }
