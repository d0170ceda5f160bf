package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/configfile"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Plan is a change of the configuration of a host, before it is made.
type Plan struct {
	Host     *Host
	Name     string   // of the entry
	File     string   // that is written, with symbolic links followed; empty if none is
	Old, New []byte   // its text; a nil Old if it is not there
	Command  []string // of the host, in place of a file; nil if there is none
	Text     string   // the entry, as it stands in a file of its own
	Secrets  []string // values of variables that stand in the file, which are not to be shown
	Fallback string   // why the file is that of the project; empty otherwise

	project bool
	undoing []string // the command of the host that takes Command back
}

// Nothing reports whether the configuration is as it should be.
func (p *Plan) Nothing() bool {
	return p.Command == nil && p.File != "" && p.Old != nil && bytes.Equal(p.Old, p.New)
}

// Add plans to put a server into the configuration of a host: by its command if it has one that is installed, and otherwise into a file. Values of
// variables are asked for where the host cannot refer to them.
func (h *Host) Add(s *Server, sys *System, project bool, value func(name string) (string, error)) (*Plan, error) {
	if s.URL != "" && h.Remote.Kind == 0 {
		return nil, fmt.Errorf("the file of %s cannot say a URL: add the server in its settings", h.Title)
	}
	p := &Plan{Host: h, Name: s.Name, project: project}
	asked := func(name string) (string, error) {
		v, err := value(name)
		p.Secrets = append(p.Secrets, v)
		return v, err
	}
	entry, err := h.entry(s, asked)
	if err != nil {
		return nil, err
	}
	alone, err := configfile.Set(h.Format, nil, h.pathOf(s.Name), entry, nil)
	if err != nil {
		return nil, err
	}
	p.Text = string(alone)
	if h.Adding != nil && !project {
		if _, err := sys.LookPath(h.Adding[0]); err == nil {
			p.Command, p.undoing = fill(h.Adding, s.Name, entry), fill(h.Removing, s.Name, entry)
			return p, nil
		}
	}
	if h.User == nil && h.Project == "" {
		return p, nil // it is printed
	}
	if err := p.open(sys); err != nil {
		return nil, err
	}
	p.New, err = configfile.Set(h.Format, p.Old, h.pathOf(s.Name), entry, h.obsolete(s))
	return p, p.withLocation(err)
}

// fill returns a command with an entry.
func fill(command []string, name string, entry ir.Value) (words []string) {
	for _, word := range command {
		switch word {
		case "NAME":
			word = name
		case "ENTRY":
			word = entry.String()
		case "JSON":
			word = ir.Value{Kind: ir.Object, Fields: append([]ir.Member{{Name: "name", Value: text(name)}}, entry.Fields...)}.String()
		}
		words = append(words, word)
	}
	return words
}

// Drop plans to take an entry out of the configuration of a host.
func (h *Host) Drop(name string, sys *System, project bool) (*Plan, error) {
	p := &Plan{Host: h, Name: name, project: project}
	if h.Adding != nil && !project {
		if _, err := sys.LookPath(h.Adding[0]); err == nil {
			if h.Removing == nil {
				return nil, fmt.Errorf("%s has no command that removes a server: remove it in its list of servers", h.Title)
			}
			p.Command = fill(h.Removing, name, ir.Value{})
			return p, nil
		}
	}
	if h.User == nil && h.Project == "" {
		return nil, fmt.Errorf("%s is not a host whose file is known", h.Name)
	}
	if err := p.open(sys); err != nil {
		return nil, err
	}
	changed, found, err := configfile.Remove(h.Format, p.Old, h.pathOf(name))
	if err == nil && !found {
		return nil, fmt.Errorf("%s has no entry %s", p.File, name)
	}
	p.New = changed
	return p, p.withLocation(err)
}

// open finds the file and reads it.
func (p *Plan) open(sys *System) error {
	name := p.Host.file(sys, p.project)
	switch {
	case name == "" && p.project:
		return fmt.Errorf("%s has no file of a project: leave --project out", p.Host.Title)
	case name == "" && p.Host.Project != "" && p.Host.Adding != nil:
		p.Fallback = fmt.Sprintf("%s is not on the PATH, so the file of the project in the current folder is written", p.Host.Adding[0])
		p.project = true
		name = p.Host.file(sys, true)
	case name == "":
		return fmt.Errorf("it is not known where %s keeps its servers on %s", p.Host.Title, sys.OS)
	}
	p.File = filepath.FromSlash(name)
	if _, err := os.Lstat(p.File); err == nil {
		if p.File, err = filepath.EvalSymlinks(p.File); err != nil {
			return fmt.Errorf("%s is a link that leads nowhere: %w", name, err)
		}
	}
	old, err := file.Read(p.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		p.Old = append([]byte{}, old...)
	}
	return nil
}

// UnknownShape reports that a file has a shape in which the entry cannot be placed. Nothing was written.
type UnknownShape struct {
	File string
	Text string // of the entry, for people to paste; empty if one was to be removed
	Err  error
}

func (e *UnknownShape) Error() string {
	message := e.File + ": " + e.Err.Error()
	if at, ok := errors.AsType[*configfile.ShapeError](e.Err); ok && at.Line > 0 {
		message = e.File + ":" + e.Err.Error()
	}
	if e.Text == "" {
		return message + "\nNothing was written: remove the entry yourself."
	}
	return message + "\nNothing was written. Put this into the file yourself:\n\n" + e.Text
}

func (e *UnknownShape) Unwrap() error { return e.Err }

// withLocation adds the file and the text to paste to an error of an editor.
func (p *Plan) withLocation(err error) error {
	if err == nil {
		return nil
	}
	return &UnknownShape{File: p.File, Text: p.Hide(p.Text), Err: err}
}

// Hide returns a text without the values of variables.
func (p *Plan) Hide(s string) string {
	for _, secret := range p.Secrets {
		if secret != "" {
			quoted := text(secret).String()
			s = strings.NewReplacer(secret, "...", quoted[1:len(quoted)-1], "...").Replace(s)
		}
	}
	return s
}

// record says what was done, so that it can be undone.
type record struct {
	Host    string   `json:"host"`
	Name    string   `json:"name"`
	Project bool     `json:"project,omitempty"`
	File    string   `json:"file,omitempty"`
	Sum     string   `json:"sha256,omitempty"` // of the file as it was written
	Copy    string   `json:"copy,omitempty"`   // of the file as it was before; empty if it was not there
	Undo    []string `json:"undo,omitempty"`   // a command of the host
	Removed bool     `json:"removed,omitempty"`
}

// log is the file that has the records, the last one at its end.
type log struct {
	path    string
	records []record
}

// mostRecords is how many records are kept.
const mostRecords = 200

func (s *System) state() string { return filepath.FromSlash(s.config() + "/rpcgen") }

func (s *System) readLog() (*log, error) {
	l := &log{path: filepath.Join(s.state(), "installed.json")}
	content, err := file.Read(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &l.records)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, which says what can be undone, cannot be read: %w", l.path, err)
	}
	return l, nil
}

func (l *log) write() error {
	l.records = l.records[max(0, len(l.records)-mostRecords):]
	content, err := json.MarshalIndent(l.records, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(l.path, append(content, '\n'), 0o600)
}

// Lock waits until no other process changes configurations. The result ends that.
func (s *System) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.state(), 0o700); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(s.state(), "lock")).Lock()
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
	if err := p.checkUnchanged(); err != nil {
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
	if err = p.checkUnchanged(); err == nil {
		err = writeFile(p.File, p.New, mode)
	}
	if err != nil {
		l.records = l.records[:len(l.records)-1]
		return errors.Join(err, l.write(), discard(r.Copy))
	}
	return nil
}

// checkUnchanged reports a file that is not as it was when the plan was made.
func (p *Plan) checkUnchanged() error {
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
	at, near := -1, -1
	for i, r := range l.records {
		if r.Host == h.Name && r.File == here {
			near = i
		}
		if r.Host == h.Name && r.Project == project && (!project || r.File == here) {
			at = i
		}
	}
	if at < 0 && !project && h.User == nil && h.Project != "" { // the file of a project was written because the command of the host was missing
		at = near
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
