//go:build unix

package install

import (
	"os"
	"syscall"
)

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
