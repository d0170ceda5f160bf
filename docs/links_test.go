package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	code    = regexp.MustCompile("`[^`\n]*`")
)

// TestLinks follows every link of a page to a file, and to a heading of a page.
func TestLinks(t *testing.T) {
	more, err := filepath.Glob("../test/*/*.md")
	if err != nil || more == nil {
		t.Fatal(err)
	}
	for _, page := range append(pages(t), more...) {
		prose := code.ReplaceAllString(fenced.ReplaceAllString(text(t, page), ""), "")
		for _, to := range names(link, prose) {
			if strings.Contains(to, "://") {
				continue
			}
			path, anchor, _ := strings.Cut(to, "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, to)
			} else if anchor != "" && !anchors(t, file)[anchor] {
				t.Errorf("%s: the link %s leads to no heading", page, to)
			}
		}
	}
}

// TestIndex finds every page in the index.
func TestIndex(t *testing.T) {
	index := text(t, "README.md")
	for _, page := range pages(t) {
		if !strings.HasPrefix(page, "..") && page != "README.md" && !strings.Contains(index, "]("+page+")") {
			t.Errorf("docs/README.md has no link to %s", page)
		}
	}
}

// TestCells: what does not fit into a cell of a table is a sentence below it, with an example.
func TestCells(t *testing.T) {
	const most = 250
	for _, page := range pages(t) {
		for n, line := range strings.Split(text(t, page), "\n") {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			for cell := range strings.SplitSeq(line, " | ") {
				if len(cell) > most+2 {
					t.Errorf("%s:%d: a cell has %d bytes, and may have %d: %.60s...", page, n+1, len(cell), most, cell)
				}
			}
		}
	}
}

// TestExamples: each folder of examples has a page of its own, and a program or a test that a page of docs shows.
func TestExamples(t *testing.T) {
	folders, err := filepath.Glob("../examples/*")
	if err != nil || len(folders) != 8 {
		t.Fatalf("%v are not eight examples: %v", folders, err)
	}
	shown := map[string]bool{}
	for _, page := range pages(t) {
		for _, b := range read(t, page) {
			if from, ok := strings.CutPrefix(b.argument, "from examples/"); ok {
				name, _, _ := strings.Cut(from, "/")
				shown[name] = true
			}
		}
	}
	index := text(t, "README.md")
	for _, folder := range folders {
		name := filepath.Base(folder)
		if _, err := os.Stat(filepath.Join(folder, "README.md")); err != nil {
			t.Error(err)
		}
		if !shown[name] {
			t.Errorf("no page has a block of Go \"from examples/%s/FILE#NAME\"", name)
		}
		if !strings.Contains(index, "](../examples/"+name+")") {
			t.Errorf("docs/README.md has no link to examples/%s", name)
		}
	}
}

// TestPackagesAreListed: each package of the command, the compiler and the runtime stands in a table of the architecture, and what stands there exists.
func TestPackagesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for line := range strings.Lines(text(t, "architecture.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range names(regexp.MustCompile("`([^`]+)`"), cells[1]) {
				before, list, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
				for last := range strings.SplitSeq(list, ",") {
					listed[before+last] = true
				}
			}
		}
	}
	for _, root := range []string{"cmd", "schema", "templates", "runtime"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(folder string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if entry.Name() == "testdata" || entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			name := filepath.ToSlash(strings.TrimPrefix(folder, ".."+string(filepath.Separator)))
			parent, _, internal := strings.Cut(name, "/internal/")
			source, err := filepath.Glob(filepath.Join(folder, "*.go"))
			if !listed[name] && source != nil && !(internal && parent == "runtime" && listed["runtime/internal/*"]) {
				t.Errorf("no table of architecture.md has the package %s", name)
			}
			delete(listed, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range listed {
		if !strings.HasSuffix(name, "/*") {
			t.Errorf("architecture.md has %s, which is not there", name)
		}
	}
}

// TestPaths: each path of the checkout that the pages for contributors name in inline code exists. {a,b} stands for both.
func TestPaths(t *testing.T) {
	path := regexp.MustCompile(`^(cmd|docs|examples|generated|runtime|schema|templates|test|\.tools)/[\w./{},-]+$`)
	for _, page := range []string{"../CONTRIBUTING.md", "architecture.md", "mcp.md", "release.md"} {
		for _, quoted := range code.FindAllString(fenced.ReplaceAllString(text(t, page), ""), -1) {
			name := strings.ReplaceAll(strings.Trim(quoted, "`"), "REVISION", "2025-11-25")
			if !path.MatchString(name) {
				continue
			}
			before, rest, _ := strings.Cut(name, "{")
			list, after, _ := strings.Cut(rest, "}")
			for part := range strings.SplitSeq(list, ",") {
				if _, err := os.Stat(filepath.Join("..", before+part+after)); err != nil {
					t.Errorf("%s: %s is not there: %v", page, name, err)
				}
			}
		}
	}
}

// anchors are the headings of a page as a repository host makes anchors of them.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, h := range names(heading, fenced.ReplaceAllString(text(t, file), "")) {
		h = regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(h), "")
		all[strings.ReplaceAll(h, " ", "-")] = true
	}
	return all
}
