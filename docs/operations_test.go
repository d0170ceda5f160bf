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
		checkTest(t, test[2], test[1])
	}
	if rows < 20 {
		t.Errorf("only %d rows", rows)
	}
}

// TestMemoryIsTested: everything that a peer can make a process keep has a test that exists.
func TestMemoryIsTested(t *testing.T) {
	_, rest, _ := strings.Cut(text(t, "../SECURITY.md"), "### What a peer can make a process keep\n")
	table, _, _ := strings.Cut(rest, "###")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "what" {
			continue
		}
		rows++
		if test := shownBy.FindStringSubmatch(strings.TrimSpace(cells[4])); test != nil {
			checkTest(t, test[2], test[1])
		} else if !strings.Contains(cells[1], "NATS") { // whose limits are those of NATS, and a number
			t.Errorf("no test shows%s", cells[1])
		}
	}
	if rows < 12 {
		t.Errorf("only %d rows", rows)
	}
}

// checkTest reports a test that does not exist in a folder.
func checkTest(t *testing.T, folder, name string) {
	t.Helper()
	var files []string
	for _, below := range []string{"", "testdata/overlay"} {
		more, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), below, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(code), "\nfunc "+name+"(") {
			return
		}
	}
	t.Errorf("%s: there is no %s", folder, name)
}
