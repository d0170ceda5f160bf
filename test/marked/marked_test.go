package marked

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWatch: go test remembers the result of a test that watches its module, until a file of Go changes that the test does not read.
func TestWatch(t *testing.T) {
	root := t.TempDir()
	own, err := os.ReadFile("marked.go")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err == nil { // go test remembers nothing that depends on files that are new
			err = os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	remembered := func() bool {
		t.Helper()
		cmd := exec.Command("go", "test", "./tested")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "(cached)")
	}
	write("go.mod", "module example.com/watched\n\ngo 1.26\n")
	write("marked/marked.go", string(own))
	write("tested/tested_test.go", "package tested\n\nimport (\n\t\"testing\"\n\n\t\"example.com/watched/marked\"\n)\n\nfunc Test(*testing.T) { marked.Watch(\"..\") }\n")
	write("other/other.go", "package other\n")
	if remembered() || !remembered() {
		t.Error("go test does not remember the result")
	}
	write("other/other.go", "package other // changed\n")
	if remembered() {
		t.Error("go test remembers the result although a file has changed")
	}
}
