//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package install

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed, or the process ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { f.Close() }, nil
}

// keepOwner gives a file the owner of another one.
func keepOwner(f *os.File, of os.FileInfo) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	now, known := mine.Sys().(*syscall.Stat_t)
	old, ok := of.Sys().(*syscall.Stat_t)
	if !known || !ok || now.Uid == old.Uid && now.Gid == old.Gid {
		return nil
	}
	return f.Chown(int(old.Uid), int(old.Gid))
}
