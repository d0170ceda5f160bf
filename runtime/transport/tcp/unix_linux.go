package tcp

import (
	"io/fs"
	"syscall"
)

// restrict gives a socket its permissions before it has a path, so that no other user can connect in between.
func restrict(mode fs.FileMode) func(string, string, syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		failed := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), uint32(mode)) })
		if failed != nil {
			return failed
		}
		return err
	}
}
