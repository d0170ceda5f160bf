//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the most bytes that the process, or one that it waited for, held in memory.
func peak(s *os.ProcessState) float64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss)
	}
	return float64(usage.Maxrss) * 1024
}
