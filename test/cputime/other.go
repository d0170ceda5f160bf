//go:build !unix

package cputime

import "time"

var start = time.Now()

// Used returns the time since the start of the process, where its processor time is not known.
func Used() time.Duration { return time.Since(start) }
