//go:build unix

package verify

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestStopped: whatever ends a run, its sandbox does not stay, nor does a folder in it that may not be written to.
func TestStopped(t *testing.T) {
	if os.Getenv("RPCGEN_TEST_STOPPED") != "" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // not ignored, even where these tests run under nohup
		c := Command("", nil, nil)
		c.SetArgs([]string{"--sandbox", "--", "sh", "-c", "mkdir -p a/b; chmod 500 a; cat >/dev/null"}) // it answers nothing
		if err := c.ExecuteContext(context.Background()); err != nil {
			os.Exit(3)
		}
		return
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			until := func(pattern string, want bool) {
				await.Until(t, pattern, func() bool {
					found, _ := filepath.Glob(filepath.Join(folder, pattern))
					return (len(found) > 0) == want
				})
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestStopped$")
			cmd.Env = append(os.Environ(), "RPCGEN_TEST_STOPPED=1", "TMPDIR="+folder)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill() // of a test that ends before
			until(filepath.Join("rpcgen-verify-*", "1", "*", "a", "b"), true)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // by the signal, or with an error
			if s == syscall.SIGKILL {
				until("*", false)
			}
			if all, err := os.ReadDir(folder); len(all) > 0 || err != nil {
				t.Errorf("%v stays: %v", all, err)
			}
		})
	}
}
