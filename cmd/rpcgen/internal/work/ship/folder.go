package ship

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sumsFile has the checksums of all other files, and is how a folder is known to be one that was shipped.
const sumsFile = "SHA256SUMS"

// staged is a new folder next to one that it will replace.
type staged struct {
	out  string
	work string // next to out, so that it can be renamed
}

// stage makes a folder for work, if another one can be replaced: it is not there, is empty, or holds the same version of the same server.
func stage(out, name, version string) (*staged, error) {
	out = filepath.Clean(out)
	if target, err := filepath.EvalSymlinks(out); err == nil {
		out = target
	}
	if err := replaceable(out, name, version); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", out, err)
	}
	work, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".rpcgen-")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", out, err)
	}
	if work, err = filepath.Abs(work); err != nil { // programs are started in other folders
		return nil, err
	}
	return &staged{out, work}, nil
}

func (s *staged) remove() { os.RemoveAll(s.work) }

// replaceable reports why a folder cannot be replaced.
func replaceable(out, name, version string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s is not a folder that can be replaced: %w", out, err)
	}
	known := map[string]bool{sumsFile: true}
	sums, err := os.ReadFile(filepath.Join(out, sumsFile))
	if err != nil {
		return fmt.Errorf("%s holds %s, which ship has not written: give --out another folder", out, entries[0].Name())
	}
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		if _, file, ok := strings.Cut(lines.Text(), "  "); ok {
			known[file] = true
		}
	}
	for _, e := range entries {
		if !known[e.Name()] {
			return fmt.Errorf("%s holds %s, which ship has not written: move it, or give --out another folder", out, e.Name())
		}
	}
	var was struct{ Version string }
	text, err := os.ReadFile(filepath.Join(out, "server.json"))
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return fmt.Errorf("%s holds files of ship, and not of which version: remove it, or give --out another folder: %w", out, err)
	}
	if was.Version != version || !known[name+"-"+version+".mcpb"] {
		return fmt.Errorf("%s holds version %s, and this one is %s %s: remove it, or give --out another folder", out, was.Version, name, version)
	}
	return nil
}

// replace writes the files, and puts them in place of what is there.
func (s *staged) replace(files []file, sums []byte) error {
	fresh, old := filepath.Join(s.work, "new"), filepath.Join(s.work, "old")
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	for _, f := range append(files, file{name: sumsFile, text: sums}) {
		if err := os.WriteFile(filepath.Join(fresh, f.name), f.text, f.mode()); err != nil {
			return err
		}
	}
	if err := os.Rename(s.out, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be replaced: %w", s.out, err)
	}
	if err := os.Rename(fresh, s.out); err != nil {
		return errors.Join(fmt.Errorf("%s cannot be written: %w", s.out, err), restored(old, s.out))
	}
	return nil
}

// restored puts a folder back, if it was there.
func restored(old, out string) error {
	if err := os.Rename(old, out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
