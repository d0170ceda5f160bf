// Package marked reads the comments that say how the packages here are tested: "//test:sequential", "//test:full" and "//test:by". See also [Watch].
//
//test:sequential
//test:by ./test/house TestSequential|TestTested
package marked

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

// Packages returns what follows a comment in the files of each package that has it, by the folder of the package: "./schema" for "//test:by ./schema".
// Folders are relative to root, the root of the repository, with slashes.
func Packages(root, comment string) (map[string][]string, error) {
	all := map[string][]string{}
	line := regexp.MustCompile(`(?m)^` + comment + `(?: (.+))?$`)
	return all, walk(root, func(name string) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			all[path.Dir(name)] = append(all[path.Dir(name)], m[1])
		}
		return err
	})
}

// Watch has go test run the tests of a package again, in place of what it remembers, when a file changes that Go compiles or embeds. Tests call it that start
// programs, such as the go command: go test sees only what tests read themselves.
func Watch(root string) {
	_ = walk(root, func(name string) error { _, _ = os.Stat(filepath.Join(root, name)); return nil }) // go test notes a Stat
}

// walk calls do for the files of packages, by their paths relative to root, with slashes.
func walk(root string, do func(name string) error) error {
	return fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() && !slices.Contains([]string{".git", "bin", "node_modules", "testdata"}, entry.Name()):
			return err
		case entry.IsDir():
			return fs.SkipDir
		}
		return do(name)
	})
}
