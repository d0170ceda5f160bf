package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBuilding says what the first build of a large package takes, on one line, and nothing of a small one, or if nothing is to be said.
func TestBuilding(t *testing.T) {
	folder := t.TempDir()
	generated := func(codec string, methods int, flags ...string) string {
		t.Helper()
		var b strings.Builder
		fmt.Fprintf(&b, "rpcgen: v1\npackage: big\n%smethods:\n", codec)
		for i := range methods {
			fmt.Fprintf(&b, "  m%d: {params: {a: string}}\n", i)
		}
		name := filepath.Join(folder, "big.rpc.yaml")
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		c := newGenerate()
		c.SetArgs(append(flags, name))
		c.SetOut(&out)
		c.SetErr(&said)
		if err := c.Execute(); err != nil {
			t.Fatal(err, said.String())
		}
		return said.String()
	}
	full := regexp.MustCompile(`^\S+: 300 methods and tools, \d{5} lines of Go: the first build takes about \d+ s of processor time and 0\.\d GB of memory; ` +
		`go: \{codec: compact\} leaves out about half of the lines of methods, .*\n$`)
	if said := generated("", manyCalls); !full.MatchString(said) {
		t.Errorf("of 300 methods it is said: %s", said)
	}
	if said := generated("go: {codec: compact}\n", manyCalls); strings.Count(said, "\n") != 1 || strings.Contains(said, "codec") {
		t.Errorf("of the compact codec it is said: %s", said)
	}
	for _, said := range []string{generated("", manyCalls-1), generated("", manyCalls, "--quiet"), generated("", manyCalls, "--lang", "typescript")} {
		if said != "" {
			t.Errorf("it is said: %s", said)
		}
	}
}
