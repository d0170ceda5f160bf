package main

import (
	"fmt"
	"os"
	goruntime "runtime"
	"time"
)

// usage is what the process has.
type usage struct {
	goroutines, files int
	sessions          int64
	heap              uint64 // bytes
}

func (u usage) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d sessions, %.1f MB", u.goroutines, u.files, u.sessions, float64(u.heap)/1e6)
}

// Room for what the runtime of Go itself keeps, such as the memory of a pool.
const (
	spareGoroutines = 3
	spareFiles      = 2
	spareHeap       = 8 << 20
)

// within reports what is more than it was before.
func (u usage) within(before usage) error {
	if u.goroutines > before.goroutines+spareGoroutines || u.files > before.files+spareFiles || u.sessions > before.sessions || u.heap > before.heap+spareHeap {
		return fmt.Errorf("something is left of the load: %s; before there were %s", u, before)
	}
	return nil
}

// settle waits until no more is used than before, or does not become less any more, and returns what is.
func (s *servers) settle(before usage) usage {
	const longest = 30 * time.Second
	now := s.measure()
	for deadline := time.Now().Add(longest); time.Now().Before(deadline); now = s.measure() {
		if before.goroutines > 0 && now.within(before) == nil {
			break
		}
		time.Sleep(500 * time.Millisecond)
		if next := s.measure(); before.goroutines == 0 && now.sessions == 0 && next.goroutines >= now.goroutines && next.files >= now.files {
			return next
		}
	}
	return now
}

func (s *servers) measure() usage {
	var m goruntime.MemStats
	for range 3 {
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // elsewhere there are none to be counted
	return usage{goruntime.NumGoroutine(), len(files), s.sessions.Load(), m.HeapAlloc}
}
