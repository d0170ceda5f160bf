package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryTransport: each transport, a folder below runtime/transport, passes the tests that all transports share, and the pages tell of it.
func TestEveryTransport(t *testing.T) {
	root()
	entries, err := os.ReadDir("runtime/transport")
	if err != nil || len(entries) < 5 {
		t.Fatal(entries, err)
	}
	serve, operations, makefile := read(t, "docs/howto-serve.md"), read(t, "docs/operations.md"), read(t, "Makefile")
	for _, entry := range entries {
		name, folder := entry.Name(), "runtime/transport/"+entry.Name()
		if !entry.IsDir() || name == "transporttest" {
			continue
		}
		want := func(fine bool, what string) {
			t.Helper()
			if !fine {
				t.Errorf("%s does not know the transport %s", what, name)
			}
		}
		tests, err := filepath.Glob(folder + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		shared := false
		for _, file := range tests {
			shared = shared || strings.Contains(read(t, file), "transporttest.Run(")
		}
		want(shared, "transporttest.Run, which a test has to call,")
		table, _, _ := strings.Cut(serve, "\n## ")
		want(strings.Contains(table, "`"+name), "the table of docs/howto-serve.md")
		want(strings.Contains(operations, "`"+name) || strings.Contains(operations, folder+"`"), "docs/operations.md")
		if _, err := os.Stat(folder + "/go.mod"); err == nil { // a module of its own
			want(strings.Contains(makefile, "cd "+folder+" && $(MODULE)"), "a target of the Makefile")
			continue
		}
		_, listed := imports[folder]
		want(listed, "TestArchitecture")
		_, held := promised[folder]
		want(held, "TestPromise")
	}
}

// read returns the text of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
