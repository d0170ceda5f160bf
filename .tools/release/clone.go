package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// copy clones the repository, and reads its modules.
func (r *release) copy() error {
	if _, err := r.run(r.root, "git", "clone", "--quiet", r.root, r.clone); err != nil {
		return err
	}
	config := map[string]string{"advice.detachedHead": "false"}
	if r.rehearsed {
		config["commit.gpgsign"], config["tag.gpgsign"] = "false", "false"
		config["user.name"], config["user.email"] = "rehearsal", "rehearsal@localhost"
	} else {
		for _, name := range []string{"user.name", "user.email", "user.signingkey"} { // they may be set for the repository only
			if value, err := r.run(r.root, "git", "config", name); err == nil {
				config[name] = strings.TrimSpace(value)
			}
		}
	}
	for name, value := range config {
		if _, err := r.run(r.clone, "git", "config", name, value); err != nil {
			return err
		}
	}
	files, err := r.run(r.clone, "git", "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return err
	}
	r.modules, err = modulesOf(r.clone, strings.Fields(files))
	r.say("cloned: %d modules", len(r.modules))
	return err
}

// fetch has in the user's module cache what all modules need of others, verified as the user wants it. From then on nothing uses a network: the go
// command reads that cache as a proxy, and finds our modules in the clone, in a cache of their own, where no other version with this name can be.
func (r *release) fetch() error {
	folders := []string{filepath.Join("examples", "downstream")} // which has the command as its tool, as users have
	for _, m := range r.modules {
		folders = append(folders, m.folder)
	}
	for _, folder := range folders {
		if _, err := r.run(filepath.Join(r.clone, folder), "go", "mod", "tidy"); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	if _, err := r.run(r.clone, "git", "checkout", "--quiet", "."); err != nil {
		return err
	}
	cache, err := r.run(r.clone, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	proxy := "file://" + filepath.ToSlash(filepath.Join(strings.TrimSpace(cache), "cache", "download"))
	r.offline = []string{
		"GOMODCACHE=" + filepath.Join(r.work, "modules"), "GOPROXY=" + proxy, "GOSUMDB=off", "GOPRIVATE=" + mainModule, "CGO_ENABLED=0",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url." + r.clone + ".insteadOf", "GIT_CONFIG_VALUE_0=" + publicURL,
	}
	r.say("modules of others are in the cache")
	return nil
}

// publish writes the pages as they are from the first release on.
func (r *release) publish() error {
	files, err := r.run(r.clone, "git", "ls-files", "*.md")
	if err != nil {
		return err
	}
	changed := 0
	for _, name := range strings.Fields(files) {
		file := filepath.Join(r.clone, name)
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, err := published(name, string(old))
		if err != nil {
			return err
		}
		if text != string(old) {
			changed++
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	if changed == 0 {
		return nil
	}
	if _, err := r.run(r.clone, "git", "commit", "--quiet", "-am", "docs: rpcgen is published"); err != nil {
		return err
	}
	commit, err := r.run(r.clone, "git", "rev-parse", "HEAD")
	r.published = strings.TrimSpace(commit)
	r.say("%d pages get rpcgen from where it is published", changed)
	return err
}

// tag makes the tags. That of a module is on a commit on which it requires the version of the modules before it, and replaces none.
func (r *release) tag() error {
	for _, m := range r.modules {
		if m.folder != "." {
			if err := r.require(m); err != nil {
				return fmt.Errorf("%s: %w", m.folder, err)
			}
		}
		if _, err := r.run(r.clone, "git", "tag", "-a", "-m", m.path()+" "+r.version, m.tag(r.version)); err != nil {
			return err
		}
		r.say("tagged %s", m.tag(r.version))
	}
	return nil
}

// require commits the go.mod of a module as users get it.
func (r *release) require(m *module) error {
	own := func(path string) bool { return path == mainModule || strings.HasPrefix(path, mainModule+"/") }
	for _, replaced := range append([]*modfile.Replace(nil), m.file.Replace...) {
		if !own(replaced.Old.Path) {
			return fmt.Errorf("go.mod replaces %s, which it does not for those who require the module", replaced.Old.Path)
		}
		if err := m.file.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return err
		}
	}
	for _, required := range m.file.Require {
		if own(required.Mod.Path) {
			if err := m.file.AddRequire(required.Mod.Path, r.version); err != nil {
				return err
			}
		}
	}
	m.file.Cleanup()
	text, err := m.file.Format()
	if err != nil {
		return err
	}
	folder := filepath.Join(r.clone, m.folder)
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), text, 0o644); err != nil {
		return err
	}
	for _, command := range [][]string{{"go", "mod", "tidy"}, {"go", "build", "./..."},
		{"git", "commit", "--quiet", "-m", m.folder + ": require " + r.version, "."}} {
		if _, err := r.runOffline(folder, command[0], command[1:]...); err != nil {
			return err
		}
	}
	return nil
}
