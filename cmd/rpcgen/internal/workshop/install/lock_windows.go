package install

import (
	"os"
	"syscall"
	"time"
)

// lock opens a file that no other process can open until it is closed, or the process ends.
func lock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const wait, step = 10 * time.Second, 20 * time.Millisecond
	for deadline := time.Now().Add(wait); ; time.Sleep(step) {
		h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			return func() { syscall.CloseHandle(h) }, nil
		}
		if time.Now().After(deadline) {
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

// keepOwner does nothing: a file belongs to the user who writes it.
func keepOwner(*os.File, os.FileInfo) error { return nil }
