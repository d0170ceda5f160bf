package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diff"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// edition is a schema as it is in a file, or was in a git commit.
type edition struct {
	label  string
	commit string // empty: the file as it is
	loader *schema.Loader
	doc    *ir.Document
}

// loadEdition loads FILE or git:REF:PATH, and prints its faults.
func loadEdition(c *cobra.Command, name string) (edition, error) {
	e := edition{label: display(name), loader: new(schema.Loader)}
	path := name
	if rest, ok := strings.CutPrefix(name, "git:"); ok {
		commit, file, ok := strings.Cut(rest, ":")
		if !ok || commit == "" || file == "" {
			return e, usageError{fmt.Errorf("%q should be git:REF:PATH", name)}
		}
		if strings.HasPrefix(commit, "-") {
			return e, usageError{fmt.Errorf("%q is no git commit", commit)}
		}
		e, path = gitEdition(".", commit, file), file
		e.label = name
	}
	doc, diags := e.loader.Load(path)
	if err := report(c.ErrOrStderr(), "text", diags, e.loader.Source); err != nil {
		return e, err
	}
	e.doc = doc
	return e, nil
}

// gitEdition reads files as they were in a commit; their paths are relative to folder.
func gitEdition(folder, commit, file string) edition {
	e := edition{label: "git:" + commit + ":" + file, commit: commit, loader: new(schema.Loader)}
	e.loader.Read = func(path string) ([]byte, error) { return gitShow(folder, commit, path) }
	return e
}

// gitShow returns a file of a commit.
func gitShow(folder, commit, path string) ([]byte, error) {
	if filepath.IsAbs(path) {
		return nil, fmt.Errorf("a path in git is relative to the current folder")
	}
	out, err := git(folder, "show", commit+":./"+filepath.ToSlash(path))
	if err != nil {
		return nil, &fs.PathError{Op: "git show", Path: path, Err: err}
	}
	return out, nil
}

// git runs git; what it complains of becomes the error.
func git(folder string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, errors.New(strings.TrimPrefix(first, "fatal: "))
	}
	return out, nil
}

func (e edition) side() diff.Side {
	s := diff.Side{Label: e.label, Source: e.loader.Source}
	if e.commit != "" {
		s.Prefix = e.commit + ":"
	}
	return s
}
