package file_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/file"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(path("regular"), []byte("rpcgen: v1\n"), 0o666))
	check(os.Symlink("regular", path("link")))
	check(syscall.Mkfifo(path("pipe"), 0o666))
	check(os.Symlink("pipe", path("linked pipe")))
	large, err := os.Create(path("large"))
	check(err)
	check(large.Truncate(file.Most + 1))
	check(large.Close())

	for _, name := range []string{"regular", "link"} {
		if text, err := file.Read(path(name)); err != nil || string(text) != "rpcgen: v1\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{path("pipe"): "a pipe", path("linked pipe"): "a pipe", dir: "a folder", path("large"): "64 MiB", os.DevNull: "a device"} {
		_, err := file.Read(name)
		var at *fs.PathError
		if !errors.As(err, &at) || at.Path != name || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := file.Read(path("missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// endless is a stream that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReadAll(t *testing.T) {
	if _, err := file.ReadAll(endless{}); !errors.Is(err, file.ErrTooLarge) {
		t.Error(err)
	}
	if text, err := file.ReadAll(bytes.NewReader(make([]byte, file.Most))); err != nil || len(text) != file.Most {
		t.Error(len(text), err)
	}
}

func TestReadIn(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	for _, err := range []error{os.Mkdir(below, 0o777), os.WriteFile(filepath.Join(dir, "above"), nil, 0o666), os.WriteFile(filepath.Join(below, "regular"), []byte("{}"), 0o666),
		os.Symlink("regular", filepath.Join(below, "link")), os.Symlink("../above", filepath.Join(below, "out")), syscall.Mkfifo(filepath.Join(below, "pipe"), 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(below)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"regular", "link"} {
		if text, err := file.ReadIn(root, name); err != nil || string(text) != "{}" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{"out": "escapes", "../above": "escapes", "pipe": "a pipe", ".": "a folder"} {
		if _, err := file.ReadIn(root, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := file.ReadIn(root, "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}
