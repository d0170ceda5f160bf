package typecheck_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
)

// TestClosed: the go command runs no program that settings or the folder of a schema name, and asks no server.
func TestClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir, programs := t.TempDir(), t.TempDir()
	ran := filepath.Join(programs, "ran")
	for _, name := range []string{"evil", "git", "hg"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	evil := filepath.Join(programs, "evil")
	for name, text := range map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.24\n\ntoolchain go1.99.9\n\nrequire corp.invalid/x v1.0.0\n",
		"main.go":           "package main\n\nimport _ \"corp.invalid/x\"\n\nfunc main() {}\n",
		".git/config":       "[core]\n\tfsmonitor = " + evil + "\n",
		".git/HEAD":         "ref: refs/heads/main\n",
		".git/objects/keep": "",
		".git/refs/keep":    "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", "-toolexec="+evil+" -buildvcs=true -mod=mod")
	t.Setenv("GOPRIVATE", "corp.invalid")
	t.Setenv("GONOPROXY", "corp.invalid")
	t.Setenv("GOVCS", "*:all")
	t.Setenv("GOAUTH", evil)
	t.Setenv("GOCACHEPROG", evil)
	const schema = "rpcgen: v1\npackage: main\ntypes:\n  A: {type: string, go: {type: Time, import: corp.invalid/x}}\n  B: {fields: {a: A}}\n"
	result, faults := check(t, schema, typecheck.GoCommand{Dir: dir})
	if len(faults) > 0 || !strings.Contains(result.Reason, "finds no package") {
		t.Errorf("%v: %q", faults, result.Reason)
	}
	if text, err := os.ReadFile(ran); err == nil {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		t.Errorf("these programs ran: %q", slices.Compact(lines))
	}
}
