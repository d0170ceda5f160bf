//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

type group struct {
	leads bool // the program is the leader of a group
	id    int
}

func (g *group) prepare(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	own := cmd.SysProcAttr
	g.leads = own.Setsid || (own.Setpgid || own.Foreground) && own.Pgid == 0
}

func (g *Group) join() { g.id = g.process.Pid }

func (g *group) signal(p *os.Process, s os.Signal) error {
	if number, ok := s.(syscall.Signal); ok && g.leads {
		return syscall.Kill(-g.id, number)
	}
	return p.Signal(s)
}

func (g *group) left() bool { return g.leads && syscall.Kill(-g.id, 0) == nil }

func (g *group) close() {}
