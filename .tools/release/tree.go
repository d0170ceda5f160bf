package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// The path of the main module, and where it is published.
const (
	mainModule = "github.com/rpcgen-go/rpcgen"
	publicURL  = "https://" + mainModule
)

// module is a module of the repository that users require.
type module struct {
	folder string // with forward slashes; "." for the main module
	file   *modfile.File
}

func (m *module) path() string { return m.file.Module.Mod.Path }

// tag returns the tag of a version of the module.
func (m *module) tag(version string) string { return path.Join(m.folder, version) }

// requires reports whether m requires other.
func (m *module) requires(other *module) bool {
	return slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool { return r.Mod.Path == other.path() })
}

// modulesOf returns the modules of a clone that users require, each after those that it requires itself: the main module, and those below the
// folders of what users link and run, without the internal ones.
func modulesOf(clone string, files []string) ([]*module, error) {
	var all []*module
	for _, name := range files {
		folder := path.Dir(name)
		if folder != "." && !strings.HasPrefix(folder, "runtime/") && !strings.HasPrefix(folder, "cmd/") || strings.Contains("/"+folder+"/", "/internal/") {
			continue // users do not require it
		}
		text, err := os.ReadFile(filepath.Join(clone, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, &module{path.Dir(name), file})
	}
	var ordered []*module
	for len(all) > 0 {
		next := slices.IndexFunc(all, func(m *module) bool { return !slices.ContainsFunc(all, m.requires) })
		if next < 0 {
			return nil, fmt.Errorf("the modules %s and others require each other in a circle", all[0].path())
		}
		ordered, all = append(ordered, all[next]), slices.Delete(all, next, next+1)
	}
	return ordered, nil
}

// run runs a program with the user's variables, and returns what it prints on its standard output.
func (r *release) run(dir, name string, args ...string) (string, error) {
	return runWith(r.env, dir, name, args...)
}

// runOffline runs a program that finds the version in the clone, and uses no network.
func (r *release) runOffline(dir, name string, args ...string) (string, error) {
	return runWith(slices.Concat(r.env, r.offline), dir, name, args...)
}

func runWith(env []string, dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(env[:len(env):len(env)], "GOWORK=off")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		said := strings.TrimSpace(stdout.String() + stderr.String())
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said[max(0, len(said)-4000):])
	}
	return stdout.String(), nil
}

// check refuses what cannot become a version, before anything is made.
func (r *release) check() error {
	if v := r.version; !semver.IsValid(v) || semver.Canonical(v) != v || semver.Compare(semver.Major(v), "v1") > 0 {
		return fmt.Errorf("%q cannot be a version of %s: name one such as v0.1.0 or v1.2.3-rc.1", v, mainModule)
	}
	status, err := r.run(r.root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes := strings.Split(strings.TrimSpace(status), "\n"); changes[0] != "" {
		what := strings.TrimSpace(changes[0][2:]) + " is not as it was"
		if more := len(changes) - 1; more > 0 {
			what = fmt.Sprintf("%d files, such as %s, are not as they were", more+1, strings.TrimSpace(changes[0][2:]))
		}
		return fmt.Errorf("%s committed: commit or remove what is not part of %s", what, r.version)
	}
	tags, err := r.run(r.root, "git", "tag", "--list", r.version, "*/"+r.version)
	if err != nil {
		return err
	}
	if tag, _, _ := strings.Cut(tags, "\n"); tag != "" {
		return fmt.Errorf("the tag %s is there already: a version cannot change, so choose the next one", tag)
	}
	if r.rehearsed {
		return nil
	}
	if _, err := os.Stat(r.kept()); err == nil {
		return fmt.Errorf("%s is there already: remove it to make %s again", r.kept(), r.version)
	}
	if _, err := r.run(r.root, "git", "var", "GIT_COMMITTER_IDENT"); err != nil {
		return fmt.Errorf("git does not know who makes the tags: set user.name and user.email with git config")
	}
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	_, section, found := strings.Cut(string(changelog), "\n## "+r.version)
	if section, _, _ = strings.Cut(section, "\n## "); !found || strings.Contains(section, "Not tagged yet") {
		return fmt.Errorf("CHANGELOG.md has no finished section for %s: see docs/release.md", r.version)
	}
	return nil
}

// edits turn what pages say before the first release into what they say from then on. What a page says of its own stands in it, as
//
//	<!-- unpublished -->
//	what it says before
//	<!-- published
//	what it says from then on
//	-->
var edits = []struct {
	before *regexp.Regexp
	after  string
}{
	{regexp.MustCompile(`(?s)<!-- unpublished -->\n.*?<!-- published\n(.*?)-->\n`), "$1"},
	{regexp.MustCompile(`go mod edit -require github\.com/rpcgen-go/rpcgen@v0\.0\.0 -replace github\.com/rpcgen-go/rpcgen=\$HOME/rpcgen(\ngo mod edit)? -tool (\S+)`), "go get -tool $2@latest"},
	{regexp.MustCompile(`go mod edit -require (\S+)@v0\.0\.0 -replace \S+=\$HOME/rpcgen\S*`), "go get $1@latest"},
	{regexp.MustCompile(`cd ~/rpcgen\ngo run \./cmd/rpcgen `), "go run github.com/rpcgen-go/rpcgen/cmd/rpcgen@latest "},
	{regexp.MustCompile("Until (?:it is|they are) published, `go\\.mod` has to say where the clone has (it|them):"), "Require $1:"},
	{regexp.MustCompile(",? with a clone of rpcgen in `~/rpcgen`"), ""},
	{regexp.MustCompile("With a clone of rpcgen in `~/rpcgen`, as in"), "As in"},
	{regexp.MustCompile(`cp ~/rpcgen/(\S+)`), `cp "$$(go list -m -f '{{.Dir}}' github.com/rpcgen-go/rpcgen)/$1"`},
}

// early finds what is left of the time before the first release.
var early = regexp.MustCompile(`\$HOME/rpcgen\b|[Ww]ith a clone of rpcgen|@v0\.0\.0\b|[Nn]o version (of rpcgen )?(is published|has been tagged)|[Uu]ntil (it is|they are) published|^<!-- (un)?published`)

// published returns a page as it is from the first release on. What the edits do not reach is an error.
func published(name, page string) (string, error) {
	for _, e := range edits {
		page = e.before.ReplaceAllString(page, e.after)
	}
	number := 0
	for line := range strings.Lines(page) {
		number++
		if found := early.FindString(line); found != "" {
			return "", fmt.Errorf("%s:%d says %q, which does not hold from the first release on", name, number, found)
		}
	}
	return page, nil
}
