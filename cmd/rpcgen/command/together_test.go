package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTogether writes two files that belong together, of which the second cannot be written: the first stays as it is, and the fault names the second.
func TestTogether(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first"), filepath.Join(folder, "first", "second")
	if err := os.WriteFile(first, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := applyAll(change{path: first, new: []byte("new")}, change{path: second, new: []byte("new")})
	if err == nil || !strings.Contains(err.Error(), "second") || strings.Contains(err.Error(), temporary) {
		t.Error(err)
	}
	text, err := os.ReadFile(first)
	if err != nil || string(text) != "old" {
		t.Errorf("the first is %q, %v", text, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}
