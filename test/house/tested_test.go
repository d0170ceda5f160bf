package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestTested: every package that is written by hand has tests, or names those that test it, for "make quick", in a line such as "//test:by ./schema".
// What such a line names exists, has tests, and reaches the package by its imports, unless the package is a program, or has nothing but tests, as
// test/allkinds, whose schema others read; those of docs read files. A pattern after it finds tests.
func TestTested(t *testing.T) {
	root()
	t.Parallel()
	all, by := units(t), namedBy(t)
	if len(all) < 150 || len(by) < 50 {
		t.Fatalf("%d packages, %d lines", len(all), len(by))
	}
	for dir, u := range all {
		if len(by[dir]) == 0 && !u.tested() && !isGenerated(t, u) {
			t.Errorf("%s has no tests: write some, or name the package whose tests test it in its comment, for make quick: //test:by ./path [pattern]", dir)
		}
		for _, line := range by[dir] {
			name, pattern, _ := strings.Cut(line, " ")
			tests := all[strings.TrimPrefix(name, "./")]
			switch {
			case !strings.HasPrefix(name, "./") || tests == nil || !tests.tested():
				t.Errorf("%s: //test:by %s names no package with tests: write its folder, ./schema", dir, line)
			case u.Name != "main" && len(u.GoFiles) > 0 && name != "./"+dir && name != "./docs" && !reaches(all, tests, u.ImportPath):
				t.Errorf("%s: //test:by %s: this package does not import it, not through others either", dir, line)
			case !finds(t, tests, pattern):
				t.Errorf("%s: //test:by %s: the package has no test for a part of the pattern", dir, line)
			}
		}
	}
	for dir := range by {
		if all[dir] == nil {
			t.Errorf("%s: //test:by stands outside of a package of this module", dir)
		}
	}
}

// namedBy returns the lines "//test:by" of each package, by its folder.
func namedBy(t *testing.T) map[string][]string {
	t.Helper()
	by, err := marked.Packages(".", "//test:by")
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// isGenerated reports whether all files of a package are generated: what tests the folder of their schema tests it.
func isGenerated(t *testing.T, u *unit) bool {
	t.Helper()
	for _, file := range u.paths() {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !generatedFile.Match(text) {
			return false
		}
	}
	return true
}

// reaches reports whether the tests of a package, or programs in folders below it, which they build, import another package, directly or through others.
func reaches(all map[string]*unit, tests *unit, path string) bool {
	seen, next := map[string]bool{}, slices.Concat(tests.Imports, tests.TestImports, tests.XTestImports)
	for _, u := range all {
		if u.Name == "main" && strings.HasPrefix(u.ImportPath, tests.ImportPath+"/") {
			next = append(next, u.Imports...)
		}
	}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if u := all[strings.TrimPrefix(at, module+"/")]; u != nil && !seen[at] {
			seen[at] = true
			next = append(next, u.Imports...)
		}
	}
	return seen[path]
}

// parenthesized finds what stands in parentheses, such as the names of parts of a test.
var parenthesized = regexp.MustCompile(`\([^()]*\)`)

// finds reports whether a package has a test for each alternative of a pattern; those of parts of tests end at the first slash.
func finds(t *testing.T, u *unit, pattern string) bool {
	t.Helper()
	var text []byte
	for _, file := range slices.Concat(u.TestGoFiles, u.XTestGoFiles) {
		read, err := os.ReadFile(filepath.Join(u.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, read...)
	}
	names := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`).FindAllSubmatch(text, -1)
	for alternative := range strings.SplitSeq(parenthesized.ReplaceAllString(pattern, ""), "|") {
		alternative, _, _ = strings.Cut(alternative, "/")
		wanted, err := regexp.Compile(alternative)
		if err != nil || !slices.ContainsFunc(names, func(m [][]byte) bool { return wanted.Match(m[1]) }) {
			return false
		}
	}
	return true
}
