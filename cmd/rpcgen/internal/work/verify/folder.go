package verify

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
)

// temporary makes a folder, by its absolute path without links. clean removes it, and does nothing when it is called again; so does the end of this
// process by a signal that it cannot handle, where [keep] can.
func temporary() (folder string, clean func(), err error) {
	if folder, err = os.MkdirTemp("", "rpcgen-verify-"); err != nil {
		return "", func() {}, err
	}
	done := func() {}
	clean = sync.OnceFunc(func() {
		if os.RemoveAll(folder) != nil { // folders that may not be written to, such as those of Go's modules
			_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, 0o700)
				}
				return err
			})
			os.RemoveAll(folder)
		}
		done()
	})
	full, err := filepath.Abs(folder)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", clean, err
	}
	folder = full
	done = keep(folder)
	return folder, clean, nil
}

// copyFolder copies the files of a folder into another one, which may be below it: what is below without is left out.
func copyFolder(into, from, without string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if from, err = filepath.Abs(from); err != nil {
		return err
	}
	if without, err = filepath.EvalSymlinks(without); err != nil {
		return err
	}
	files := os.DirFS(from)
	if below, err := filepath.Rel(from, without); err == nil && filepath.IsLocal(below) {
		files = hiding{files.(fs.ReadLinkFS), filepath.ToSlash(below)}
	}
	return os.CopyFS(into, files)
}

// hiding is a file system without one entry, as [os.CopyFS] sees it.
type hiding struct {
	fs.ReadLinkFS
	name string
}

// ReadDir implements [fs.ReadDirFS].
func (h hiding) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(h.ReadLinkFS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return path.Join(name, e.Name()) == h.name }), err
}
