//go:build unix

package stdio

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// processOf returns the process that has said which it is.
func processOf(t *testing.T, p *Process) (pid int) {
	t.Helper()
	await.Until(t, "the server runs", func() bool {
		n, _ := fmt.Sscanf(p.Stderr(), "process %d\n", &pid)
		return n == 1
	})
	return pid
}

// TestCommandEndsWhatALauncherHasStarted: a server ends with Close although a launcher stands between, which passes on no signals, or has ended.
func TestCommandEndsWhatALauncherHasStarted(t *testing.T) {
	for name, c := range map[string]struct{ kind, script, says string }{
		"stubborn":        {"stubborn", `"$0"; true`, ""},
		"late":            {"late", `"$0"; true`, "ended in order"},
		"stubborn, alone": {"stubborn", `"$0" < /dev/null > /dev/null & read -r line; true`, ""},
		"late, alone":     {"late", `"$0" < /dev/null > /dev/null & read -r line; true`, ""}, // whose standard error is closed then
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, c.kind)
			cmd.Args = []string{"sh", "-c", c.script, cmd.Path}
			cmd.Path, _ = exec.LookPath("sh")
			cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
			grace := 200 * time.Millisecond
			if c.kind == "late" {
				grace = 6 * time.Second // on a machine that does other work as well
			}
			if c.says != "" {
				cmd.WaitDelay = time.Minute // for what it says after its launcher has ended
			}
			p, err := Command(t.Context(), cmd, nil, WithGrace(grace), WithOptions(runtime.Options{Logger: quiet}))
			if err != nil {
				t.Fatal(err)
			}
			pid := processOf(t, p)
			if err := p.Close(); err != nil && c.kind == "late" {
				t.Error(err)
			}
			await.Until(t, "the server is gone", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
			if said := p.Stderr(); !strings.HasSuffix(said, c.says) {
				t.Errorf("the server says %q", said)
			}
		})
	}
}

// TestCommandWithAttributes: what the caller has chosen is not changed.
func TestCommandWithAttributes(t *testing.T) {
	t.Parallel()
	cmd := program(t, "late")
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	p, err := Command(t.Context(), cmd, nil, WithGrace(6*time.Second), WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	pid := processOf(t, p)
	if group, err := syscall.Getpgid(pid); err != nil || group != syscall.Getpgrp() {
		t.Errorf("its group is %d, %v", group, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
