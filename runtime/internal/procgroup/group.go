// Package procgroup ends programs with all that they have started: a launcher, such as a shell, does not pass on the signals that it gets.
//
// On Unix, a program is the leader of a group of processes of its own. On Windows, it is in a job object of its own; what it starts before it is
// put there, right after its start, is not. Elsewhere, only the program itself is ended.
package procgroup

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Group is a program and what it has started and what stayed in its group. It is safe for concurrent use.
type Group struct {
	process *os.Process
	group

	mu    sync.Mutex
	asked bool // to terminate
	empty bool // nothing is left: the system may use the number of the group again
}

// Start starts cmd with a group of its own. A SysProcAttr that is set is not changed: if it makes no group, the Group is the program alone.
func Start(cmd *exec.Cmd) (*Group, error) {
	g := &Group{}
	g.prepare(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g.process = cmd.Process
	g.join()
	return g, nil
}

// Signal sends a signal to everything in the group.
func (g *Group) Signal(s os.Signal) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty {
		return os.ErrProcessDone
	}
	g.asked = g.asked || s == syscall.SIGTERM
	return g.signal(g.process, s)
}

// Left reports whether anything of the group is left after the program has ended and was waited for. Call it at once then: from false on, nothing
// gets a signal.
func (g *Group) Left() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.empty && !g.left() {
		g.empty = true
		g.close()
	}
	return !g.empty
}

// End ends what is left of the group after the program has ended and was waited for: it is asked to terminate, unless it was before, and killed
// after grace.
func (g *Group) End(grace time.Duration) {
	g.mu.Lock()
	asked := g.asked
	g.mu.Unlock()
	if asked || g.Left() && g.Signal(syscall.SIGTERM) == nil {
		g.wait(grace)
	}
	if g.Left() && g.Signal(os.Kill) == nil {
		const dying = 200 * time.Millisecond // a process without a parent that waits for it is counted for longer
		g.wait(dying)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.empty {
		g.empty = true
		g.close()
	}
}

// wait waits until nothing is left, at most for d.
func (g *Group) wait(d time.Duration) {
	const step = 10 * time.Millisecond
	for waited := time.Duration(0); g.Left() && waited < d; waited += step {
		time.Sleep(step)
	}
}

// Closes waits until a channel is closed, for d in steps, and reports whether it is. A process that stood still counts one step, and looks again.
func Closes(c <-chan struct{}, d time.Duration) bool {
	for step := 10 * time.Millisecond; d > 0; d -= step {
		select {
		case <-c:
			return true
		case <-time.After(min(d, step)):
		}
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}
