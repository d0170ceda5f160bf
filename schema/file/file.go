// Package file reads the files that the compiler works on: schemas, sources and overlays of imports, go.mod, and what is there of what it writes. A path may
// come from a schema of another author, so that nothing but regular files is opened, and no more than a limit is read.
//
//test:sequential
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Most is how many bytes a file may have. A schema may have fewer: the parser says so.
const Most = 64 << 20

// ErrTooLarge is the reason why a file of more than [Most] bytes is not read.
var ErrTooLarge = fmt.Errorf("it has more than %d MiB", Most>>20)

// Read returns the content of a regular file, or of one that a symbolic link leads to. It neither opens nor waits for pipes, sockets and
// devices. Errors are [fs.PathError].
func Read(path string) ([]byte, error) { return read(path, os.Stat, os.OpenFile) }

// ReadIn is [Read] below a folder, out of which neither the path nor a symbolic link leads.
func ReadIn(root *os.Root, path string) ([]byte, error) { return read(path, root.Stat, root.OpenFile) }

func read(path string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) ([]byte, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	f, err := open(path, os.O_RDONLY|nonBlocking, 0) // it may have become a pipe since
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	err = regular(info)
	var text []byte
	if err == nil {
		text, err = ReadAll(f)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return text, nil
}

// regular says why a file is not read.
func regular(info fs.FileInfo) error {
	what := "a special file"
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() > Most:
		return ErrTooLarge
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return errors.New("it is " + what + ", and only regular files are read")
}

// ReadAll reads at most [Most] bytes, such as those of the standard input; more are [ErrTooLarge].
func ReadAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, Most+1))
	if err != nil {
		return nil, err
	}
	if len(text) > Most {
		return nil, ErrTooLarge
	}
	return text, nil
}
