package contract

import (
	"os/exec"

	"github.com/rpcgen-go/rpcgen/runtime/internal/procgroup"
)

// Group is a program and what it has started: a process group on Unix, a job object on Windows, and elsewhere the program alone. It is safe for
// concurrent use.
type Group = procgroup.Group

// StartGroup starts cmd with a group of its own, as [Process] does. Once the program was waited for, Group.End ends what is left of it.
func StartGroup(cmd *exec.Cmd) (*Group, error) { return procgroup.Start(cmd) }
