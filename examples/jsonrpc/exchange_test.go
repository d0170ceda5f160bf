package jsonrpc_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestSpecification sends every example of JSON-RPC 2.0, section 7, to the real server, and compares the answers as JSON.
// A call behind each exchange shows that nothing else came, and that the server goes on.
func TestSpecification(t *testing.T) {
	server := build(t)
	archive, err := txtar.ParseFile("testdata/section7.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 15 {
		t.Fatalf("%d exchanges, the specification has 15", len(archive.Files))
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			var sent, want []string
			for line := range strings.Lines(string(f.Data)) {
				if text, ok := strings.CutPrefix(line, "--> "); ok {
					sent = append(sent, text)
				} else if text, ok := strings.CutPrefix(line, "<-- "); ok {
					want = append(want, text)
				}
			}
			sent = append(sent, `{"jsonrpc":"2.0","method":"sum","params":[40,2],"id":"end"}`+"\n")
			want = append(want, `{"jsonrpc":"2.0","result":42,"id":"end"}`)
			compare(t, exchange(t, server, strings.Join(sent, "")), want)
		})
	}
}

// build builds the server once.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "server.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "./server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// exchange runs the server on the input and returns the lines that it answers.
func exchange(t *testing.T, server, input string) []string {
	t.Helper()
	cmd := exec.Command(server)
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), io.Discard
	if testing.Verbose() {
		cmd.Stderr = os.Stderr
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for scanner := bufio.NewScanner(strings.NewReader(string(out))); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	return lines
}

// compare compares answers as JSON. The server may answer a call before one that came earlier, so their order is free.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	left := decode(t, got)
	for _, w := range decode(t, want) {
		found := -1
		for i, g := range left {
			if cmp.Equal(g, w) {
				found = i
			}
		}
		if found < 0 {
			t.Fatalf("no answer is %v; the answers:\n%s", w, strings.Join(got, "\n"))
		}
		left = append(left[:found], left[found+1:]...)
	}
	if len(left) > 0 {
		t.Fatalf("too many answers:\n%s", strings.Join(got, "\n"))
	}
}

func decode(t *testing.T, lines []string) (all []any) {
	t.Helper()
	for _, line := range lines {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, v)
	}
	return all
}
