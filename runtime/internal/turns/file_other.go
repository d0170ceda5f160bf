//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package turns

// tryLock does nothing: this system has no lock that ends with its process. What another program has stored in between is still found.
func tryLock(string) (unlock func(), err error) { return func() {}, nil }
