//go:build !unix && !windows

package procgroup

import (
	"os"
	"os/exec"
)

type group struct{}

func (group) prepare(*exec.Cmd) {}

func (*Group) join() {}

func (group) signal(p *os.Process, s os.Signal) error { return p.Signal(s) }

func (group) left() bool { return false }

func (group) close() {}
