package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRandom looks for the seed in the packages whose tests draw random inputs.
func TestRandom(t *testing.T) {
	root()
	draws, seeds := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && len(path) > 1 && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") || path == "random_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		dir := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(path)), "/testdata/overlay") // see package overlay
		draws[dir] = draws[dir] || bytes.Contains(text, []byte(`"pgregory.net/rapid"`))
		seeds[dir] = seeds[dir] || bytes.Contains(text, []byte(`"rapid.seed"`))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seeds) == 0 {
		t.Error("no tests found")
	}
	for dir := range draws {
		if draws[dir] && !seeds[dir] {
			t.Errorf("%s: the tests draw other inputs in each run: set rapid.seed, as schema/decimal/decimal_test.go does", dir)
		}
	}
}
