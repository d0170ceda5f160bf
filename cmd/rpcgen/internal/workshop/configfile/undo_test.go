package configfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/configfile"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/install"
)

// TestUndo: what is installed into a file of a host and undone gives the bytes back, whatever the file holds.
func TestUndo(t *testing.T) {
	for name, format := range map[string]configfile.Format{"zed": configfile.JSONC, "codex": configfile.TOML, "goose": configfile.YAML} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := install.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			home := inMemory(t)
			sys := &install.System{OS: "linux", Home: home, Folder: home, Getenv: func(string) string { return "" },
				LookPath: func(string) (string, error) { return "", os.ErrNotExist }}
			file := map[string]string{"zed": ".config/zed/settings.json", "codex": ".codex/config.toml", "goose": ".config/goose/config.yaml"}[name]
			file = filepath.Join(home, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				old := configfile.Random(t, format)
				if err := os.WriteFile(file, old, 0o666); err != nil {
					t.Fatal(err)
				}
				p, err := h.Add(&install.Server{Name: "office", Program: "/bin/office"}, sys, false, nil)
				if err == nil {
					err = p.Apply(sys)
				}
				if err != nil {
					t.Fatal(err)
				}
				if now, err := os.ReadFile(file); err != nil || !bytes.Contains(now, []byte("/bin/office")) {
					t.Fatalf("%v\n%s", err, now)
				}
				if said, err := h.Undo(sys, false); err != nil {
					t.Fatal(said, err)
				}
				now, err := os.ReadFile(file)
				if err != nil || !bytes.Equal(now, old) {
					t.Fatalf("%v\n%q is left of\n%q", err, now, old)
				}
				if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
					t.Fatal(left, err)
				}
			})
		})
	}
}

// inMemory returns a folder in memory, where the system has one: writing to a disk takes half of the time of a test of small files.
func inMemory(t *testing.T) string {
	folder, err := os.MkdirTemp("/dev/shm", "rpcgen-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}
