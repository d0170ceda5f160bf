//go:build !unix

package main

// taken reports nothing where the system does not count it: no call is left out.
func taken() int64 { return 0 }
