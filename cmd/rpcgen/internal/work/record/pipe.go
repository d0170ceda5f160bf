package record

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// pipe is a command with a recorder in its standard input and output.
type pipe struct {
	command []string
	in      io.Reader
	out     io.Writer
	err     io.Writer
	grace   time.Duration
}

// grace is how long a command and what it has started may take to end after they were asked to, and how long what it leaves may still write.
const grace = 5 * time.Second

// run runs the command until it ends, and ends what it has started. When ctx ends, all of them are asked to end as well. The error is how the
// command has exited.
func (p *pipe) run(ctx context.Context, r *recorder) error {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	started := make(chan *contract.Group, 1)
	cmd.Cancel = func() error { return (<-started).Signal(syscall.SIGTERM) }
	cmd.WaitDelay = p.grace
	cmd.Stderr = p.err
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stdout = &output{to: p.out, recorder: r, fault: func() { to.Close() }}
	group, err := contract.StartGroup(cmd)
	if err != nil {
		return err
	}
	started <- group
	go func() { // ends with the input, which may outlive the command
		passOn(to, p.in, r)
		to.Close()
	}()
	err = cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) { // a process that the command has left keeps its output open
		err = nil
	}
	group.End(p.grace)
	return err
}

// passOn copies bytes to the command, and shows them to the recorder.
func passOn(to io.Writer, from io.Reader, r *recorder) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			r.chunk(transcript.Client, buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return // the command has ended, which Wait says
			}
		}
		if err != nil {
			return
		}
	}
}

// output passes on what the command writes, and shows it to the recorder.
type output struct {
	to       io.Writer
	recorder *recorder
	fault    func() // is called when what the command writes is not read any more
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.recorder.chunk(transcript.Server, p)
	n, err := o.to.Write(p)
	if err != nil {
		o.fault()
	}
	return n, err
}
