//go:build !unix

package contract

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the command. What it has started goes on.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}
