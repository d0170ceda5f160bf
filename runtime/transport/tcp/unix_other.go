//go:build !linux

package tcp

import (
	"io/fs"
	"syscall"
)

// restrict does nothing: other systems give a socket its permissions by its path alone.
func restrict(fs.FileMode) func(string, string, syscall.RawConn) error { return nil }
