// Package heap measures for tests what a program keeps in memory.
//
//test:by ./runtime/transport/tcp
package heap

import (
	"runtime"
	"testing"
	"time"
)

// Growth runs f and returns how many more bytes are in use afterwards.
func Growth(f func()) int64 {
	before := inUse()
	f()
	return inUse() - before
}

func inUse() int64 {
	var m runtime.MemStats
	for range 3 { // the second one empties what pools keep, and finalizers have run before the third
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Limit returns a limit for a test, in bytes: a smaller one for short tests, because the race detector
// is slow with much memory.
func Limit() int64 {
	if testing.Short() {
		return 16 << 20
	}
	return 64 << 20
}

// AtMost fails the test if f makes the program keep more than 1.2 times limit, in bytes, or less than
// half of limit, because then f has not driven anything to its limit. Memory that goroutines are about
// to give up when f returns does not count: it is measured again for up to 5 seconds.
func AtMost(t testing.TB, limit int64, f func()) {
	t.Helper()
	before := inUse()
	for last := before + 1; before < last; before = inUse() { // what goroutines of the test before give up
		last = before
	}
	f()
	kept := inUse() - before
	for try := 0; kept > limit+limit/5 && try < 50; try++ {
		time.Sleep(100 * time.Millisecond)
		kept = inUse() - before
	}
	t.Logf("%.1f MiB are kept, %.2f times the limit", float64(kept)/(1<<20), float64(kept)/float64(limit))
	if kept > limit+limit/5 || kept < limit/2 {
		t.Errorf("%d bytes are kept; the limit is %d", kept, limit)
	}
}
