package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var shownBy = regexp.MustCompile("^`(Test\\w+)` in `([\\w/]+)`$")

// TestOperations: every feature and every input of the page names a test that exists.
func TestOperations(t *testing.T) {
	features, _, _ := strings.Cut(text(t, "operations.md"), "## Differences")
	rows := 0
	for line := range strings.Lines(features) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.Contains(line, "---") || slices.Contains([]string{"feature", "input"}, strings.TrimSpace(cells[1])) {
			continue
		}
		rows++
		test := shownBy.FindStringSubmatch(strings.TrimSpace(cells[3]))
		if test == nil {
			t.Errorf("no test shows%s", cells[1])
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(test[2]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(code), "\nfunc "+test[1]+"(")
		}
		if !found {
			t.Errorf("%s: there is no %s", test[2], test[1])
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows", rows)
	}
}
