package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/configfile"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// Lock waits until no other process changes configurations. The result ends that.
func (s *System) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.state(), 0o700); err != nil {
		return nil, err
	}
	return lock(filepath.Join(s.state(), "lock"))
}

// Copy returns the name of the file that the present one is kept as; empty if there is none.
func (p *Plan) Copy() string {
	if p.Old == nil || p.File == "" {
		return ""
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.rpcgen-%d", p.File, n)
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}

// Apply makes the change. The caller holds the lock. A file that has changed since the plan was made stays as it is.
func (p *Plan) Apply(sys *System) error {
	l, err := sys.readLog()
	if err != nil {
		return err
	}
	r := record{Host: p.Host.Name, Name: p.Name, Project: p.project, File: p.File, Removed: p.Text == ""}
	if p.Command != nil {
		if err := runCommand(p.Command); err != nil {
			return err
		}
		if p.undoing != nil {
			l.records = append(l.records, record{Host: r.Host, Name: r.Name, Undo: p.undoing})
			return l.write()
		}
		return nil
	}
	if err := p.unchanged(); err != nil {
		return err
	}
	mode := os.FileMode(0o600) // values of variables may be in it
	if p.project {
		mode = 0o644
	}
	if r.Copy = p.Copy(); r.Copy != "" {
		if err := copyFile(p.File, r.Copy, p.Old); err != nil {
			return err
		}
	}
	r.Sum = sum(p.New)
	l.records = append(l.records, r)
	if err := l.write(); err != nil {
		return errors.Join(err, discard(r.Copy))
	}
	if err = p.unchanged(); err == nil {
		err = writeFile(p.File, p.New, mode)
	}
	if err != nil {
		l.records = l.records[:len(l.records)-1]
		return errors.Join(err, l.write(), discard(r.Copy))
	}
	return nil
}

// unchanged reports a file that is not as it was when the plan was made.
func (p *Plan) unchanged() error {
	now, err := file.Read(p.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.Old == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || p.Old == nil || !bytes.Equal(now, p.Old):
		return fmt.Errorf("%s has changed in between, and is left as it is: run the command again", p.File)
	}
	return nil
}

func discard(name string) error {
	if name == "" {
		return nil
	}
	return os.Remove(name)
}

func sum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// mostRunning is how long a command of a host may take.
const mostRunning = time.Minute

// runCommand runs a command of a host.
func runCommand(words []string) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), mostRunning, fmt.Errorf("it has not ended after %s", mostRunning))
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second // what it has started may hold its output open
	out, err := cmd.CombinedOutput()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return fmt.Errorf("%s failed: %w\n%s", words[0], err, bytes.TrimSpace(out))
	}
	return nil
}

// copyFile writes a copy of a file, with its mode. A name that is taken is an error.
func copyFile(from, to string, content []byte) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// writeFile writes a file as a new one that is renamed, with the mode and the owner of the old one, so that it is complete at any time. The mode is for
// a file that is not there yet.
func writeFile(path string, content []byte, mode os.FileMode) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "."+filepath.Base(path)+".rpcgen-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which is gone if all went well
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if err := keepOwner(f, info); err != nil {
			return errors.Join(fmt.Errorf("the owner of %s would change: %w", path, err), f.Close())
		}
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Undo takes the last change of the configuration of a host back, and returns what was done. The caller holds the lock.
func (h *Host) Undo(sys *System, project bool) (string, error) {
	l, err := sys.readLog()
	if err != nil {
		return "", err
	}
	here := filepath.FromSlash(h.file(sys, true))
	if target, err := filepath.EvalSymlinks(here); err == nil {
		here = target
	}
	at := -1
	for i, r := range l.records {
		if r.Host == h.Name && r.Project == project && (!project || r.File == here) {
			at = i
		}
	}
	if at < 0 && !project && h.User == nil && h.Project != "" { // the file of a project was written because the command of the host was missing
		for i, r := range l.records {
			if r.Host == h.Name && r.File == here {
				at = i
			}
		}
	}
	if at < 0 {
		return "", fmt.Errorf("nothing was installed in %s by this command that could be undone", h.Title)
	}
	r := l.records[at]
	said, err := h.undo(r)
	if err != nil {
		return "", err
	}
	l.records = slices.Delete(l.records, at, at+1)
	return said, l.write()
}

func (h *Host) undo(r record) (string, error) {
	if r.Undo != nil {
		return fmt.Sprintf("%s was removed from %s.", r.Name, h.Title), runCommand(r.Undo)
	}
	now, err := file.Read(r.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s is not there any more.", r.File), nil
	case err != nil:
		return "", err
	case sum(now) == r.Sum && r.Copy == "":
		return fmt.Sprintf("%s was removed: it was not there before.", r.File), os.Remove(r.File)
	case sum(now) == r.Sum:
		before, err := file.Read(r.Copy)
		if err != nil {
			return "", fmt.Errorf("%s, the file as it was before, cannot be read: %w", r.Copy, err)
		}
		if err := writeFile(r.File, before, 0o600); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s is as it was before.", r.File), os.Remove(r.Copy)
	case r.Removed:
		return "", fmt.Errorf("%s has changed since %s was removed from it: put the entry back yourself, from %s", r.File, r.Name, r.Copy)
	}
	changed, found, err := configfile.Remove(h.Format, now, h.pathOf(r.Name))
	if err != nil {
		return "", &UnknownShape{File: r.File, Err: err}
	}
	kept := ""
	if r.Copy != "" {
		kept = fmt.Sprintf(" The file as it was before is %s.", r.Copy)
	}
	if !found {
		return fmt.Sprintf("%s has changed since, and has no entry %s any more.%s", r.File, r.Name, kept), nil
	}
	if err := writeFile(r.File, changed, 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s has changed since, so only the entry %s was removed from it.%s", r.File, r.Name, kept), nil
}
