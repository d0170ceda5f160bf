package turns

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestMain locks a file until it is killed, in a process that [TestKilled] starts.
func TestMain(m *testing.M) {
	if path := os.Getenv("TURNS_TEST_FILE"); path != "" {
		_, err := File(context.Background(), path)
		fmt.Println(err)
		select {}
	}
	os.Exit(m.Run())
}

// TestKilled: the lock of a process that is killed ends.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	holds := exec.CommandContext(t.Context(), os.Args[0])
	holds.Env = append(os.Environ(), "TURNS_TEST_FILE="+path)
	out, err := holds.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holds.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatal(line, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("a file is locked twice: %v", err)
	}
	_ = holds.Process.Kill()
	_ = holds.Wait()
	unlock, err := File(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestTurns: one goroutine at a time has a key, and who gives up is not waited for. Nothing is kept of keys that nobody uses.
func TestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.lock")
	var keys KeyLocks[string]
	for name, lock := range map[string]func(context.Context) (func(), error){
		"key": func(ctx context.Context) (func(), error) { return keys.Lock(ctx, "k") }, "file": func(ctx context.Context) (func(), error) { return File(ctx, path) },
	} {
		var all sync.WaitGroup
		var n, inside atomic.Int32
		for range 8 {
			all.Go(func() {
				unlock, err := lock(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if n.Add(1); inside.Add(1) != 1 {
					t.Errorf("%s: two have it", name)
				}
				inside.Add(-1)
				unlock()
			})
		}
		all.Wait()
		unlock, err := lock(t.Context())
		if err != nil || n.Load() != 8 {
			t.Fatal(name, n.Load(), err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := lock(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		unlock()
	}
	if len(keys.all) != 0 {
		t.Errorf("%d keys are kept", len(keys.all))
	}
}
