package house

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// banned are turns of phrase that readers stumble over, with what to write instead.
var banned = map[string]string{
	`\btells whether\b`: "reports whether", `\bmend(s|ed|ing)?\b`: "fix, correct", `\bheed(s|ed|ing)?\b`: "use, follow", `\bthrongs?\b`: "overload, many clients",
	`\b[Ww]hoever\b`: "the caller, a peer that", `\bis told what\b`: "gets an error that lists", `\ba name a line\b|, one a line\b|, a line each\b`: "newline-separated",
	`\bnobody is told\b`: "is not reported", `\bwithout a line of yours\b`: "without writing code",
}

// bannedInPlain are further turns of phrase, which are gone from the folders of plain and must not come back there.
var bannedInPlain = map[string]string{
	`\bbeside\b`: "additional, optional, separate, at the same time as", `\bbehind\b`: "after", `\b[Ee]ditions?\b`: "version, revision",
	`\b[Ss]urfaces?\b`: "part, kind of compatibility", `\b(its|other|both|client's|server's) half\b`: "side, end", `\b[Ss]omebody\b`: "a peer, a caller",
	`\b(nil|empty|none|zero|0): (no|not|the|there|it|none|nothing|nobody)\b`: "nil if, empty if", `\bFalse: `: "It reports false if",
	`\bis told\b`: "receives, gets", `\bnobody (is|has|waits|reads|else|knows)\b`: "no caller, no peer, not",
	`\bhas (it|them|another \w+|the (session|caller|listener|server|client|connection)) (be|call|close|give|go|hear|handle|read|send|take|tell|wait)\b`: "lets, makes",
	`\btells (what|which|that|false|true)\b`: "returns, reports, lists, means", `\b[Aa]nybody\b`: "any caller, users", `; (nil|empty|zero|0): `: "; nil if, ; empty for",
	`\bTell whether\b`: "Report whether", `\bwithout patience\b`: "without waiting", `\bthe habits of\b`: "the settings of",
}

// isNo finds "is no X", which readers stumble over, with the word before it and the word after it.
var isNo = regexp.MustCompile(`(\w+)?\s*\b(is|are|was|were)\s+no\s+([\w%]+)`)

// findIsNo returns what "is not a X" should stand for. "there is no X", "is no longer X" and the like are plain English.
func findIsNo(text string) string {
	for _, m := range isNo.FindAllStringSubmatch(text, -1) {
		plain := strings.EqualFold(m[1], "there") || slices.Contains([]string{"longer", "more", "further", "other", "such"}, m[3])
		if !plain {
			return m[0]
		}
	}
	return ""
}

// TestIsNo: the expression finds the turn of phrase, and not those like it.
func TestIsNo(t *testing.T) {
	root()
	for text, want := range map[string]string{
		"a file that is no schema": "that is no schema", "%q is no %s": "q is no %s", "There is no file": "", "it is no longer used": "", "they are no names": "they are no names",
	} {
		if got := findIsNo(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// plain are the folders and files whose prose has been rewritten. A folder without a slash at its end stands for its own files only.
var plain = []string{"runtime/", "cmd/", "schema/", "templates/", "docs/", "examples/", "README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"}

// authored are files whose texts stand in generated code: they change with it, not on their own.
var authored = []string{"schema/mcp/*.yaml", "schema/mcp/overlay/*.yaml", "templates/errors.go"}

// isPlain reports whether a file is one of plain, or lies in one of its folders, and is not one of authored.
func isPlain(path string) bool {
	path = filepath.ToSlash(path)
	if slices.ContainsFunc(authored, func(pattern string) bool { matched, _ := filepath.Match(pattern, path); return matched }) {
		return false
	}
	return slices.ContainsFunc(plain, func(p string) bool {
		return strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) || path == p || filepath.ToSlash(filepath.Dir(path)) == p
	})
}

// compiled compiles the expressions of a list.
func compiled(list map[string]string) map[*regexp.Regexp]string {
	patterns := map[*regexp.Regexp]string{}
	for expr, instead := range list {
		patterns[regexp.MustCompile(expr)] = instead
	}
	return patterns
}

// TestWords finds what is not plain technical English in Go comments and texts, and in docs. Code generated from schemas has the words of
// their authors.
func TestWords(t *testing.T) {
	root()
	t.Parallel()
	everywhere, strict := compiled(banned), compiled(bannedInPlain)
	check := func(where, text string) {
		find := func(patterns map[*regexp.Regexp]string) {
			for re, instead := range patterns {
				if found := re.FindString(text); found != "" {
					t.Errorf("%s: %q: write %s", where, strings.TrimSpace(found), instead)
				}
			}
		}
		find(everywhere)
		if path, _, _ := strings.Cut(where, ":"); isPlain(path) {
			find(strict)
			if found := findIsNo(text); found != "" {
				t.Errorf("%s: %q: write is not a", where, found)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if name := entry.Name(); err == nil && (name == ".git" || name == "bin" || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		switch {
		case path == "test/house/words_test.go" || strings.HasSuffix(path, ".gen.go"):
		case strings.HasSuffix(path, ".go"):
			checkGo(t, path, check)
		case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, ".yaml"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			check(path, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkGo checks the comments and the texts of a Go file.
func checkGo(t *testing.T, path string, check func(where, text string)) {
	t.Helper()
	file, err := parse(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Comments {
		check(positions.Position(c.Pos()).String(), c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			check(positions.Position(text.Pos()).String(), text.Value)
		}
		return true
	})
}
