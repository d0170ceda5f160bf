package house

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBootstrap breaks a generated file in a copy of the module and generates it again: the command that `make generate` builds links no
// generated code.
func TestBootstrap(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "bootstrap", "./cmd/rpcgen").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if name == "net/http" || name == "crypto/tls" {
			t.Errorf("the compiler links %s", name)
		}
		if own, ours := strings.CutPrefix(name, "github.com/rpcgen-go/rpcgen/"); ours && (strings.HasPrefix(own, "runtime") || strings.HasPrefix(own, "generated")) {
			t.Errorf("the compiler links %s", own)
		}
	}
	if testing.Short() {
		return
	}
	copied := t.TempDir()
	for _, folder := range []string{"cmd", "schema", "templates", "runtime", "generated/mcp20260728", "go.mod", "go.sum"} {
		copyTree(t, folder, filepath.Join(copied, folder))
	}
	const file = "generated/mcp20260728/rpc_types.gen.go"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := append(slices.Clone(want), "\nthis is not Go\n"...)
	if err := os.WriteFile(filepath.Join(copied, file), broken, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", "-tags", "bootstrap", "./cmd/rpcgen", "generate", "--out", "generated/mcp20260728", "schema/mcp/module.yaml")
	command.Dir = copied
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(copied, file)); err != nil || string(got) != string(want) {
		t.Errorf("%s was not generated again: %v", file, err)
	}
}

// copyTree copies a file or a folder without its tests.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
