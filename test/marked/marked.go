// Package marked reads the comments that say how the packages of this repository are tested: "//test:sequential", "//test:full" and "//test:by".
//
//test:sequential
//test:by ./test/house TestSequential|TestTested
package marked

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Packages returns what follows a comment in the files of each package that has it, by the folder of the package: "./schema" for "//test:by ./schema".
// Folders are relative to root, the root of the repository, with slashes.
func Packages(root, comment string) (map[string][]string, error) {
	all := map[string][]string{}
	line := regexp.MustCompile(`(?m)^` + comment + `(?: (.+))?$`)
	for _, top := range []string{"cmd", "docs", "examples", "runtime", "schema", "templates", "test"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			for _, m := range line.FindAllStringSubmatch(string(text), -1) {
				all[filepath.ToSlash(dir)] = append(all[filepath.ToSlash(dir)], m[1])
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
