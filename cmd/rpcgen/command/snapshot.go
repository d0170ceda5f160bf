package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	slash "path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// snapshot is a schema in a file or in a git commit.
type snapshot struct {
	label  string
	commit string // empty for the file in the working tree
	loader *schema.Loader
	doc    *ir.Document
}

// loadSnapshot loads FILE or git:REF:PATH, and prints its faults.
func loadSnapshot(c *cobra.Command, name string) (snapshot, error) {
	e := snapshot{label: display(name), loader: new(schema.Loader)}
	path := name
	if rest, ok := strings.CutPrefix(name, "git:"); ok {
		commit, file, ok := strings.Cut(rest, ":")
		if !ok || commit == "" || file == "" {
			return e, usageError{fmt.Errorf("%q should be git:REF:PATH", name)}
		}
		if strings.HasPrefix(commit, "-") {
			return e, usageError{fmt.Errorf("%q is not a git commit", commit)}
		}
		var err error
		if e, path, err = gitSnapshot(".", commit, file); err != nil {
			return e, usageError{err}
		}
	}
	doc, diags := e.loader.Load(path)
	if err := report(c.ErrOrStderr(), "text", diags, e.loader.Source); err != nil {
		return e, err
	}
	e.doc = doc
	return e, nil
}

// gitSnapshot returns a snapshot that reads files from a commit. The name is relative to folder. The returned path, by which the
// file has to be loaded, is relative to the top of the repository, like the paths of all files that it imports.
func gitSnapshot(folder, commit, name string) (e snapshot, path string, err error) {
	if filepath.IsAbs(name) {
		return e, "", fmt.Errorf("%q: a path in git is relative to the current folder", name)
	}
	prefix, err := git(folder, "rev-parse", "--show-prefix")
	if err != nil {
		return e, "", err
	}
	e = snapshot{label: "git:" + commit + ":" + name, commit: commit, loader: new(schema.Loader)}
	e.loader.Read = func(path string) ([]byte, error) { return gitShow(folder, commit, path) }
	return e, slash.Join(strings.TrimSpace(string(prefix)), filepath.ToSlash(name)), nil
}

// gitShow returns a file of a commit; its path is relative to the top of the repository.
func gitShow(folder, commit, path string) ([]byte, error) {
	out, err := git(folder, "cat-file", "blob", commit+":"+path)
	if err != nil {
		return nil, &fs.PathError{Op: "git cat-file", Path: path, Err: err}
	}
	return out, nil
}

func (e snapshot) side() diff.Side {
	s := diff.Side{Label: e.label, Source: e.loader.Source}
	if e.commit != "" {
		s.Prefix = e.commit + ":"
	}
	return s
}

// A repository may be of another author, and its configuration may name programs and servers. Git gets no reason to run or to ask any:
// only commands that read objects are used, and what is here comes before the configuration of the repository.
var (
	closedFlags = []string{"--no-pager", "--literal-pathspecs", "--no-optional-locks",
		"-c", "safe.bareRepository=explicit", // a folder that looks like a repository is none
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
		"-c", "log.showSignature=false", // would run gpg.program
	}
	closedEnvironment = []string{
		"GIT_ALLOW_PROTOCOL=",   // missing objects are fetched by no protocol, whatever protocol.*.allow says
		"GIT_NO_LAZY_FETCH=1",   // nor tried to, by newer versions
		"GIT_TERMINAL_PROMPT=0", // no password is asked for
	}
)

// git runs git in a folder. Its error message becomes the error. The output is limited to the maximum size of a file.
func git(folder string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(closedFlags[:len(closedFlags):len(closedFlags)], args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), closedEnvironment...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if err != nil {
		return nil, err
	}
	out, tooLarge := file.ReadAll(stdout)
	if tooLarge != nil {
		cancel()
	}
	err = cmd.Wait()
	if tooLarge != nil {
		return nil, tooLarge
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, errors.New(strings.TrimPrefix(first, "fatal: "))
	}
	return out, nil
}
