package turns

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Beside is [File] for a file of a folder that is replaced: the lock is on a file next to it. It makes the folder if necessary.
func Beside(ctx context.Context, folder, path string) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	return File(ctx, strings.TrimSuffix(path, ".json")+".lock")
}

// Replace replaces a file of a folder as a whole, so that a reader never finds a part; only the user can read it. It makes the folder if necessary. While the
// text is written, the name of the file begins with begun, see [Sweep].
func Replace(folder, path, begun string, text []byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	fresh, err := os.CreateTemp(folder, begun) // of mode 0600
	if err != nil {
		return err
	}
	_, err = fresh.Write(text)
	if err == nil {
		err = fresh.Sync() // a file that has its name has its text
	}
	if closed := fresh.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		_ = os.Remove(fresh.Name())
	}
	return err
}

// Sweep removes the files that programs have left in a folder which were killed in [Replace]: they hold secrets. Others may be writing now.
func Sweep(folder, begun string) {
	const old = time.Hour          // writing takes less
	files, _ := os.ReadDir(folder) // nothing, if there is no folder yet
	for _, file := range files {
		if !file.Type().IsRegular() || !strings.HasPrefix(file.Name(), begun) {
			continue
		}
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > old {
			_ = os.Remove(filepath.Join(folder, file.Name())) // if it fails, the next one tries again
		}
	}
}
