package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// handWritten is how many lines of Go are written by hand in this repository, its nested modules included, without tests and what is generated.
// The figure may fall. It rises only with a reason in the change that raises it, such as a feature that was asked for.
// It was 155,000 before verify, test kits, mock, record, load, TypeScript, the explorer and the playground, 179,911 before test/gotest, test/quick and the
// lines that these read, and 181,836 before process groups, owners of calls, locks of token stores, ids by value, the soak of secrets, stores that are away and
// limits of what a hostile peer costs; explanations of codes and the printer of models went elsewhere.
const handWritten = 183_781

// generatedFile finds the line by which Go knows generated files.
var generatedFile = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestLines counts the lines of Go that are neither generated nor part of a test.
func TestLines(t *testing.T) {
	t.Parallel()
	lines, largest := 0, 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin" || name[0] == '_' || name == "node_modules" || name == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generatedFile.Match(text) {
			return err
		}
		n := bytes.Count(text, []byte("\n"))
		lines, largest = lines+n, max(largest, n)
		return nil
	})
	if err != nil || lines < handWritten/2 {
		t.Fatalf("%d lines, %v", lines, err)
	}
	t.Logf("%d lines are written by hand; the longest file has %d", lines, largest)
	if lines > handWritten {
		t.Errorf("%d lines are written by hand, and not at most %d: remove what is double or dead, or say in this change why it needs more", lines, handWritten)
	}
}
