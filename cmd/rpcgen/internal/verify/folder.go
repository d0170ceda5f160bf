package verify

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

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
