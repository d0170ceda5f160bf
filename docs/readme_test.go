package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPageCount counts the pages below docs, the index and the skill among them: what a reader looks for has one place.
func TestPageCount(t *testing.T) {
	const most = 55
	count := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".md" {
			count++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if count > most {
		t.Errorf("there are %d pages, and may be %d: add a section to the page that the reader has open already, and merge two pages before you add one", count, most)
	}
}

// TestThirtyLines counts what an author writes for the MCP server of the README.
func TestThirtyLines(t *testing.T) {
	lines := 0
	for _, b := range read(t, "../README.md") {
		if b.language == "yaml" {
			lines = 0
		}
		if b.argument != "" {
			lines += len(regexp.MustCompile(`(?m)^.*\S`).FindAllString(b.text, -1))
		}
		if b.argument == "main.go" && strings.Contains(b.text, "mcp.Options") {
			break
		}
	}
	if lines == 0 || lines > 30 {
		t.Errorf("they are %d", lines)
	}
}

// figure is a number with its unit, or a count out of a total.
var figure = regexp.MustCompile(`\d[\d.,]*(x| of \d+| (ns|us|ms|s|bytes|KB|MB|allocs|goroutines))\b`)

// TestFigures finds every figure of a section of the README in the page that it comes from.
func TestFigures(t *testing.T) {
	readme := text(t, "../README.md")
	for _, c := range []struct {
		from, to string // the section begins after from and ends before to
		source   string
	}{
		{"## Figures\n", "\n## ", "performance.md"},
		{"(docs/mcp-conformance.md)).", "\n\n", "mcp-conformance.md"},
	} {
		_, section, found := strings.Cut(readme, c.from)
		section, _, ended := strings.Cut(section, c.to)
		figures := figure.FindAllString(section, -1)
		if !found || !ended || len(figures) < 4 {
			t.Errorf("README.md has no figures of %s", c.source)
		}
		source := text(t, c.source)
		for _, f := range figures {
			if !regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(f)).MatchString(source) {
				t.Errorf("README.md says %q, which is not in %s", f, c.source)
			}
		}
	}
}

// TestConformance compares the table of scenarios with what the last run of make conformance printed.
func TestConformance(t *testing.T) {
	page, printed := text(t, "mcp-conformance.md"), text(t, "../test/conformance/cmd/run/expected.txt")
	counts := regexp.MustCompile(`(?m)^conformance \S+: (.+?) {2,}(\S+) +(\d+ of \d+)`).FindAllStringSubmatch(printed, -1)
	if len(counts) == 0 {
		t.Fatal("there are no scenarios")
	}
	for _, c := range counts {
		if row := "| " + c[1] + " | " + c[2] + " | " + c[3] + " |"; !strings.Contains(page, row) {
			t.Errorf("mcp-conformance.md lacks %q", row)
		}
	}
	versions := regexp.MustCompile(`(conformance|sdk|client|inspector|server|server-everything) (\d\S+\d)`).FindAllString(printed, -1)
	for _, v := range versions {
		if !strings.Contains(page, v) {
			t.Errorf("mcp-conformance.md does not name the version %s", v)
		}
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
