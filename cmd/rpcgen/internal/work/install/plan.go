package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/configfile"
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
	alone, err := configfile.New(h.Format, h.pathOf(s.Name), entry)
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
	return p, p.located(err)
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
	return p, p.located(err)
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

// located adds the file and the text to paste to an error of an editor.
func (p *Plan) located(err error) error {
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
