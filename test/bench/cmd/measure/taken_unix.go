//go:build unix

package main

import (
	"syscall"
	"time"
)

// taken returns how often the system has taken a processor away from a thread of this program.
func taken() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return int64(usage.Nivcsw)
}

// processorTime returns how much time processors have worked for this program, in it and in the system.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
