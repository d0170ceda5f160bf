// Command release makes a version of all modules of this repository that users require: in a clone, with its tags, tried from empty folders, and with
// the archives of its program. It changes nothing in the repository that it is started in, and pushes nothing: it prints the command that does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), "usage: release VERSION\n") }
	flag.Parse()
	if err := run(flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes the version that args name of the repository that the current folder is in, and keeps it.
func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name one version: make release VERSION=v0.1.0")
	}
	r, err := newRelease(args[0], false, out)
	if err != nil {
		return err
	}
	defer r.remove()
	if err := r.make(); err != nil {
		return err
	}
	return r.keep()
}

// make makes the version, below the folder r.work.
func (r *release) make() error {
	for _, step := range []func() error{r.check, r.copy, r.fetch, r.publish, r.tag, r.try, r.archive} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// release is a version that is being made.
type release struct {
	root      string // the repository
	version   string
	rehearsed bool
	work      string // a folder for all that is made, which is removed in the end
	clone     string // of the repository, below work
	modules   []*module
	offline   []string // variables with which the go command gets our modules from the clone, and those of others from the user's cache
	env       []string // the user's variables, and flags for the go command: all is built as the programs of archives are
	published string   // the commit with the pages as they are after the first release; empty if they are so already
	began     time.Time
	out       io.Writer
}

func newRelease(version string, rehearse bool, out io.Writer) (*release, error) {
	r := &release{version: version, rehearsed: rehearse, out: out, began: time.Now(), env: append(os.Environ(), "GOFLAGS=-trimpath")}
	root, err := r.run(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if r.work, err = os.MkdirTemp("", "release"); err != nil {
		return nil, err
	}
	r.root, r.clone = strings.TrimSpace(root), filepath.Join(r.work, "clone")
	return r, nil
}

// remove removes what was made, the module cache included, whose folders are read-only.
func (r *release) remove() {
	filepath.WalkDir(r.work, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o755)
		}
		return nil
	})
	os.RemoveAll(r.work)
}

// say prints what has been done, with the seconds since the beginning.
func (r *release) say(format string, args ...any) {
	fmt.Fprintf(r.out, "%4.0f s  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}

// kept is the folder in which a version is kept.
func (r *release) kept() string { return filepath.Join(r.root, "bin", "release", r.version) }

// keep moves the clone and the archives to the folder of the version, and prints what is left to do.
func (r *release) keep() error {
	if err := os.MkdirAll(r.kept(), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"clone", "dist"} {
		if _, err := r.run(".", "mv", filepath.Join(r.work, name), filepath.Join(r.kept(), name)); err != nil {
			return err
		}
	}
	to := publicURL
	if origin, err := r.run(r.root, "git", "remote", "get-url", "origin"); err == nil {
		to = strings.TrimSpace(origin)
	}
	push := []string{"git", "-C", filepath.Join("bin", "release", r.version, "clone"), "push", "--atomic", to}
	if r.published != "" {
		push = append(push, r.published+":refs/heads/main")
	}
	for _, m := range r.modules {
		push = append(push, m.tag(r.version))
	}
	r.say("%s is in %s, and nothing is pushed", r.version, r.kept())
	fmt.Fprintf(r.out, "\nPublish it with\n\n%s\n\nand attach the files of %s to the release.\n", strings.Join(push, " "),
		filepath.Join("bin", "release", r.version, "dist"))
	return nil
}
