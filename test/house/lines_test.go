package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// houses are the parts of this repository, and how many lines of Go are written by hand in each, nested modules included, without tests and what is generated.
// A figure may fall. A house that needs more takes it from itself: it is not raised in the change that breaks it. A folder belongs to the house that names the
// longest part of its path.
var houses = []struct {
	name    string
	most    int
	folders []string
}{
	{"compiler", 49_828, []string{"schema", "templates", "cmd/rpcgen", "cmd/rpcgen-go"}},
	{"import", 19_853, []string{"cmd/rpcgen/internal/source"}},
	{"TypeScript", 2_826, []string{"templates/typescript"}},
	{"runtime", 24_436, []string{"runtime"}},
	{"MCP", 22_984, []string{"runtime/mcp", "runtime/gen/mcpgen", "runtime/gen/mcpview", "runtime/internal/mcp", "runtime/internal/oauth", "runtime/x/mcpdynamic", "runtime/x/mcptask", "runtime/x/mcptest", "runtime/x/mcpcache"}},
	{"integrations", 17_450, []string{"runtime/x", "runtime/rpcotel", "runtime/mcp/mcpotel", "runtime/transport/natsrpc", "runtime/transport/websocket", "cmd/mcpgateway"}},
	{"workshop", 26_867, []string{"cmd/rpcgen/internal/workshop", "cmd/internal", "runtime/x/contract", "runtime/x/explorer"}},
	{"examples, and helpers of tests", 18_669, []string{"test", "examples", "docs", ".tools", "generated"}},
}

// handWritten is how many lines there are in all houses.
const handWritten = 182_913

// generatedFile finds the line by which Go knows generated files.
var generatedFile = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestLines counts the lines of Go that are neither generated nor part of a test.
func TestLines(t *testing.T) {
	t.Parallel()
	lines, sum := make([]int, len(houses)), 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin" || name[0] == '_' || name == "node_modules" || name == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generatedFile.Match(text) {
			return err
		}
		if i := house(filepath.ToSlash(path)); i < 0 {
			t.Errorf("%s stands in no house", path)
		} else {
			lines[i] += bytes.Count(text, []byte("\n"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range houses {
		t.Logf("%s: %d lines are written by hand", h.name, lines[i])
		if lines[i] > h.most || lines[i] < h.most/2 {
			t.Errorf("%s: %d lines are written by hand, and not at most %d: remove what is double or dead in this house", h.name, lines[i], h.most)
		}
		sum += lines[i]
	}
	t.Logf("all: %d", sum)
	if sum > handWritten {
		t.Errorf("%d lines are written by hand, and not at most %d: remove what is double or dead", sum, handWritten)
	}
}

// house returns the index of the house that a file stands in; -1 for none.
func house(file string) (found int) {
	found, longest := -1, 0
	for i, h := range houses {
		for _, folder := range h.folders {
			if strings.HasPrefix(file, folder+"/") && len(folder) > longest {
				found, longest = i, len(folder)
			}
		}
	}
	return found
}

// longLines is how many lines that are written by hand, tests aside, have more than 160 bytes, in Go, TypeScript and JavaScript. It may only fall.
const longLines = 198

// TestLongLines counts them.
func TestLongLines(t *testing.T) {
	t.Parallel()
	const most = 160
	count := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin" || name[0] == '_' || name == "node_modules" || name == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !slices.Contains([]string{".go", ".ts", ".js", ".mjs"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generatedFile.Match(text) {
			return err
		}
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSuffix(line, []byte("\n"))) > most {
				count++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count > longLines {
		t.Errorf("%d lines have more than %d bytes, and not at most %d: break what you wrote", count, most, longLines)
	}
	t.Log(count)
}
