// Package idle measures for tests what connections cost that nobody uses.
//
//test:by ./runtime/transport/tcp
package idle

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// process marks the environment of a process that [InOwnProcess] has started.
const process = "RPCGEN_IDLE"

// InOwnProcess runs the test that calls it in a process of its own, and reports whether this is that process. In another one, Go starts new
// goroutines with stacks as large as those of earlier tests grew, and these give up memory meanwhile.
func InOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(process) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprint("-test.short=", testing.Short()))
	cmd.Env = append(os.Environ(), process+"=1", "GODEBUG=adaptivestackstart=0")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	return false
}

// AtMost fails the test if what open makes, which is counted as n, costs more than so many bytes of heap and stacks each, or more than
// one goroutine each. What is given up when nothing happens is waited for.
func AtMost(t *testing.T, bytes uint64, n int, open func()) {
	t.Helper()
	goroutines, before := runtime.NumGoroutine(), inUse()
	open()
	each, more := bytes+1, 0
	for try := 0; (each > bytes || more > n+10) && try < 10; try++ {
		time.Sleep(time.Second)
		each, more = (inUse()-before)/uint64(n), runtime.NumGoroutine()-goroutines
	}
	t.Logf("%d bytes and %.2f goroutines each", each, float64(more)/float64(n))
	if each > bytes || more > n+10 {
		t.Errorf("%d bytes each, and not at most %d; %d goroutines for %d", each, bytes, more, n)
	}
}

// inUse returns the bytes in use by the heap and by stacks.
func inUse() uint64 {
	var m runtime.MemStats
	for range 4 { // each collection shrinks stacks that are too large
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
