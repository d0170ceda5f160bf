package verify

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCopyFolder: files and links are copied, also into a folder below.
func TestCopyFolder(t *testing.T) {
	from := t.TempDir()
	write := func(name string) {
		file := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.csv")
	write("data/b.csv")
	write("tmp/run/secret")
	if err := os.Symlink("a.csv", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(from, "tmp/run")
	into := filepath.Join(base, "1/work")
	if err := os.MkdirAll(into, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := copyFolder(into, from, base); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a.csv": true, "data/b.csv": true, "link": true, "tmp": true, "tmp/run": false} {
		if _, err := os.Lstat(filepath.Join(into, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := copyFolder(filepath.Join(t.TempDir(), "x"), filepath.Join(from, "nowhere"), base); err == nil {
		t.Error("a folder that is not there is copied")
	}
}
