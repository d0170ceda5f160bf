package record

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// pipe is a command with a recorder in its standard input and output.
type pipe struct {
	command []string
	in      io.Reader
	out     io.Writer
	err     io.Writer
}

// grace is how long a command may take to end after it was asked to.
const grace = 5 * time.Second

// run runs the command until it ends. When ctx ends, the command is asked to end as well. The error is how it has exited.
func (p *pipe) run(ctx context.Context, r *recorder) error {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	cmd.Stderr = p.err
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the input, which may outlive the command
		_ = passOn(to, p.in, transcript.Client, r) // the command has ended, which Wait says
		to.Close()
	}()
	passed := make(chan error, 1)
	go func() { passed <- passOn(p.out, from, transcript.Server, r) }()
	fault := <-passed
	if fault != nil { // what the command writes is not read any more
		from.Close()
		to.Close()
	}
	return errors.Join(fault, cmd.Wait())
}

// passOn copies bytes from one side to the other, and shows them to the recorder.
func passOn(to io.Writer, from io.Reader, name string, r *recorder) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			r.chunk(name, buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
			return nil
		default:
			return err
		}
	}
}
