//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

// TestGroup: once nothing of a group is left, its number belongs to others, and gets no signal.
func TestGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 1000 & true")
	g, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !g.Left() {
		t.Error("what it has started is gone")
	}
	g.End(0)
	if err := g.Signal(os.Kill); !errors.Is(err, os.ErrProcessDone) || g.Left() {
		t.Errorf("a signal is sent after the end: %v", err)
	}
}

func TestGroupFails(t *testing.T) {
	if _, err := Start(exec.Command("/no/such/program")); err == nil {
		t.Error("it started")
	}
}
