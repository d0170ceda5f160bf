package turns

import (
	"errors"
	"os"
	"syscall"
)

// tryLock opens a file that cannot be opened again until it is unlocked, or the process ends. The error is errLocked if another one has opened it.
func tryLock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharingViolation = syscall.Errno(32)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, errLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { syscall.CloseHandle(h) }, nil
}
