package stdio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/procgroup"
)

// Process is a program that was started as a peer. It is the [runtime.Conn] of generated clients.
type Process struct {
	*runtime.Session
	cmd    *exec.Cmd
	group  *procgroup.Group
	stdin  *os.File
	stdout *os.File
	stderr *tail
	grace  time.Duration

	ended  atomic.Bool // it has closed its input or output, as a program does that is about to exit
	once   sync.Once
	exited chan struct{} // closed when the program has exited
	gone   chan struct{} // closed when nothing of its group is left
	err    error         // how the program exited; set before exited is closed
	closed error
}

// Command starts cmd, whose standard streams must be unset, and talks to it over its standard input and output. The handler h serves the calls that the
// program makes; a nil h serves none. A line that the program prints and that cannot be a message is logged and left out, unless the framing is another. Use
// [Process.Close] to end the program.
//
// The program and what it starts are a process group of their own, or a job object on Windows, which ends with the program. So on Unix an interrupt at the
// terminal reaches this process only, which has to call Close then, and the system stops a program that reads from the terminal itself. Set
// [exec.Cmd.SysProcAttr] to choose otherwise: Command does not change it, and an empty one keeps the program in the group of this process.
func Command(ctx context.Context, cmd *exec.Cmd, h runtime.Handler, opts ...Option) (*Process, error) {
	o := newOptions(opts)
	if cmd.Stdin != nil || cmd.Stdout != nil || cmd.Stderr != nil {
		return nil, errors.New("stdio: the standard streams of the command are set already")
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	p := &Process{cmd: cmd, stdin: ourOut, stdout: ourIn, stderr: &tail{to: o.stderr}, grace: o.grace, exited: make(chan struct{}), gone: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, p.stderr
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, time.Second) // a grandchild may hold the standard error open
	p.group, err = procgroup.Start(cmd)
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	conn := frame.NewConn(o.framing.NewReader(pipes{p}, o.max), o.framing.NewWriter(pipes{p}, o.max), p.closeStreams)
	if conn = o.traceConn(conn); o.framing == frame.Lines {
		conn = printing{conn, o.session.Logger}
	}
	p.Session = runtime.NewSession(ctx, conn, h, o.session)
	go p.wait()
	return p, nil
}

// pipes are the standard input and output of a program. How it exited is the error of what it has not read.
type pipes struct{ of *Process }

func (p pipes) Read(b []byte) (int, error) {
	n, err := p.of.stdout.Read(b)
	p.of.ended.CompareAndSwap(false, err == io.EOF)
	return n, err
}

func (p pipes) Write(b []byte) (int, error) {
	n, err := p.of.stdin.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.of.ended.Store(true)
		if procgroup.Closes(p.of.exited, min(p.of.grace, time.Second)) && p.of.err != nil {
			err = p.of.err
		}
	}
	return n, err
}

// printing leaves out the lines that a program prints between its messages, and logs them.
type printing struct {
	frame.Conn
	log *slog.Logger // nil means slog.Default
}

func (p printing) ReadFrame() ([]byte, error) {
	for {
		line, err := p.Conn.ReadFrame()
		printed := line
		if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
			printed = large.Head
		} else if err != nil {
			return line, err
		}
		if text := bytes.TrimLeft(printed, " \t\r["); len(text) == 0 || text[0] == '{' || text[0] == ']' { // an object or an array of them
			return line, err
		}
		peerlog.For(cmp.Or(p.log, slog.Default())).Warn("the program prints on its standard output, which is for messages alone", "text",
			peerlog.Text(string(printed)))
	}
}

func (p *Process) closeStreams() error {
	err := p.stdin.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil // Close has closed the program's input before
	}
	return errors.Join(err, p.stdout.Close())
}

// wait waits for the program to exit. The session still reads what the program wrote before, or what it has started writes.
func (p *Process) wait() {
	if err := p.cmd.Wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		p.err = &ExitError{err, p.stderr.String()}
	}
	p.group.Left()
	close(p.exited)
	if !procgroup.Closes(p.Session.Done(), p.grace) {
		p.Session.Close()
	}
	p.group.End(p.grace)
	close(p.gone)
}

// ExitError means that the program exited with an error.
type ExitError struct {
	Err    error  // the error of [exec.Cmd.Wait]
	Stderr string // the end of its standard error
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return "the program ended: " + e.Err.Error()
	}
	return "the program ended: " + e.Err.Error() + "; its standard error ends with:\n" + e.Stderr
}

func (e *ExitError) Unwrap() error { return e.Err }

// Exited returns a channel that is closed when the program has exited.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stderr returns the end of what the program has written to its standard error so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Close ends the program in steps: it closes the program's input, asks the program to terminate if it has not exited within the grace period, and kills it
// after another grace period. What it has started is asked to terminate and killed with it, and is asked when the program has exited. The error is an
// [*ExitError] if the program exited with an error before it was asked to terminate, or if it had to be killed.
func (p *Process) Close() error {
	p.once.Do(func() { p.closed = p.end() })
	return p.closed
}

func (p *Process) end() error {
	reports := procgroup.Closes(p.exited, 0) || p.ended.Load()
	p.stdin.Close()
	for _, s := range []os.Signal{nil, syscall.SIGTERM, os.Kill} {
		if s != nil {
			p.group.Signal(s)
			reports = s == os.Kill
		}
		if procgroup.Closes(p.exited, p.grace) {
			break
		}
	}
	p.Session.Close()
	p.Session.Wait()
	<-p.gone
	if reports {
		return p.err
	}
	return nil
}

// tail forwards what is written to it and keeps the end of it.
type tail struct {
	mu  sync.Mutex
	to  io.Writer
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10 // bytes
	t.mu.Lock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-most):]
	t.mu.Unlock()
	if t.to != nil {
		t.to.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.end)), "\uFFFD")
}
