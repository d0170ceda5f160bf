// Package stdio carries messages over the standard input and output of a process: [Serve] is for the process, [Command] for the program that starts it.
package stdio

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Serve serves h on the standard input and output until the input ends and all calls are answered, or until ctx ends. Nothing else may write to the standard
// output meanwhile. The error is nil at the end of the input, and the error of ctx if ctx ended first.
//
// If a read of the standard input blocks when ctx ends, the read is interrupted. On systems that cannot do that, one goroutine keeps waiting for the input.
func Serve(ctx context.Context, h runtime.Handler, opts ...Option) error {
	o := newOptions(opts)
	return runtime.Serve(ctx, o.traceConn(NewConn(o.in, o.out, o.framing, o.max)), h, o.session)
}

// NewConn returns a connection over two streams. The size limit of a frame is max bytes; if max is 0, it is [frame.DefaultMax].
func NewConn(r io.Reader, w io.Writer, framing frame.Framing, max int) frame.Conn {
	in := interruptible(r)
	return frame.NewConn(framing.NewReader(in, max), framing.NewWriter(w, max), in.Close)
}

// interruptible returns a reader of r that Close interrupts even if it blocks.
func interruptible(r io.Reader) io.ReadCloser {
	if f, ok := r.(*os.File); ok {
		if f.SetReadDeadline(time.Time{}) == nil {
			return &file{File: f}
		}
		return newPump(r)
	}
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return newPump(r)
}

// file is a file with deadlines.
type file struct{ *os.File }

func (f *file) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && os.IsTimeout(err) {
		err = frame.ErrClosed
	}
	return n, err
}

// Close interrupts a read that blocks. The file itself belongs to the caller and stays open.
func (f *file) Close() error { return f.SetReadDeadline(time.Unix(1, 0)) }

// pump reads from a goroutine of its own a stream that cannot be interrupted.
type pump struct {
	r      io.Reader
	want   chan int
	got    chan chunk
	closed chan struct{}
}

type chunk struct {
	p   []byte
	err error
}

func newPump(r io.Reader) *pump {
	p := &pump{r: r, want: make(chan int), got: make(chan chunk, 1), closed: make(chan struct{})}
	go p.run()
	return p
}

func (p *pump) run() {
	var buf []byte
	for {
		select {
		case n := <-p.want:
			if n > len(buf) {
				buf = make([]byte, n)
			}
			got, err := p.r.Read(buf[:n])
			p.got <- chunk{buf[:got], err}
			if err != nil {
				return
			}
		case <-p.closed:
			return
		}
	}
}

// Read waits for bytes or for Close.
func (p *pump) Read(b []byte) (int, error) {
	select {
	case p.want <- min(len(b), 64<<10):
	case <-p.closed:
		return 0, frame.ErrClosed
	}
	select {
	case c := <-p.got:
		return copy(b, c.p), c.err
	case <-p.closed:
		return 0, frame.ErrClosed
	}
}

// Close makes Read return.
func (p *pump) Close() error {
	close(p.closed)
	return nil
}
