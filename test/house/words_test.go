package house

import (
	"cmp"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
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

// turn is a turn of phrase, with what to write instead. Every text that has it has one of its parts: few texts have to be matched.
type turn struct {
	*regexp.Regexp
	parts   []string
	instead string
}

// find returns what a text has of a turn of phrase.
func (p turn) find(text string) string {
	if p.parts != nil && !slices.ContainsFunc(p.parts, func(part string) bool { return strings.Contains(text, part) }) {
		return ""
	}
	return strings.TrimSpace(p.FindString(text))
}

// compile compiles the expressions of a list.
func compile(list map[string]string) (all []turn) {
	for expr, instead := range list {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			panic(err)
		}
		all = append(all, turn{regexp.MustCompile(expr), parts(re), instead})
	}
	return all
}

// parts returns texts of which each match of an expression has at least one, as long as they can be; nil for none.
func parts(re *syntax.Regexp) (all []string) {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		return []string{string(re.Rune)}
	case re.Op == syntax.OpCapture:
		return parts(re.Sub[0])
	case re.Op == syntax.OpAlternate:
		for _, sub := range re.Sub {
			of := parts(sub)
			if of == nil {
				return nil
			}
			all = append(all, of...)
		}
	case re.Op == syntax.OpConcat:
		for _, sub := range re.Sub {
			if of := parts(sub); shortest(of) > shortest(all) {
				all = of
			}
		}
	}
	return all
}

// shortest returns the length of the shortest text; 0 for none.
func shortest(texts []string) int {
	if texts == nil {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// TestTurns: each text has the turn of phrase that ends it.
func TestTurns(t *testing.T) {
	root()
	everywhere, strict := compile(banned), compile(bannedInPlain)
	for _, text := range []string{
		"it tells whether", "they mended", "a heed", "the throng", "Whoever", "a name a line", "the names, a line each", "without a line of yours", "beside", "The Surface",
		"the client's half", "somebody", "empty: nothing", "none: there", "False: ", "nobody knows", "it has another reader wait", "has the session close", "tells what",
		"what it does; zero: ", "the habits of",
	} {
		found := ""
		for _, p := range slices.Concat(everywhere, strict) {
			found = cmp.Or(found, p.find("Here is "+text))
		}
		if found == "" || !strings.HasSuffix(strings.TrimSpace(text), found) {
			t.Errorf("%q is found in %q", found, text)
		}
	}
}

// TestWords finds what is not plain technical English in Go comments and texts, and in docs. Code generated from schemas has the words of
// their authors.
func TestWords(t *testing.T) {
	root()
	t.Parallel()
	everywhere, strict := compile(banned), compile(bannedInPlain)
	check := func(path string, pos token.Pos, text string) {
		where := func() string {
			if pos == token.NoPos {
				return path
			}
			return positions.Position(pos).String()
		}
		find := func(turns []turn) {
			for _, p := range turns {
				if found := p.find(text); found != "" {
					t.Errorf("%s: %q: write %s", where(), found, p.instead)
				}
			}
		}
		find(everywhere)
		if isPlain(path) {
			find(strict)
			if found := findIsNo(text); found != "" {
				t.Errorf("%s: %q: write is not a", where(), found)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if name := entry.Name(); err == nil && notOurs(name) {
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
			check(path, token.NoPos, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkGo checks the comments and the texts of a Go file.
func checkGo(t *testing.T, path string, check func(path string, pos token.Pos, text string)) {
	t.Helper()
	file, err := parse(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Comments {
		check(path, c.Pos(), c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			check(path, text.Pos(), text.Value)
		}
		return true
	})
}
