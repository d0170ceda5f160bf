//go:build !unix

package main

import "time"

// taken reports nothing where the system does not count it: no call is left out.
func taken() int64 { return 0 }

// processorTime reports nothing where the system does not count it.
func processorTime() time.Duration { return 0 }
