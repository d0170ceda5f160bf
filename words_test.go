package rpcgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// banned are turns of phrase that readers stumble over, with what to write instead.
var banned = map[string]string{
	`\btells whether\b`: "reports whether", `\bmend(s|ed|ing)?\b`: "fix, correct", `\bheed(s|ed|ing)?\b`: "use, follow", `\bthrongs?\b`: "overload, many clients",
	`\b[Ww]hoever\b`: "the caller, a peer that", `\bis told what\b`: "gets an error that lists", `\ba name a line\b|, one a line\b|, a line each\b`: "newline-separated",
	`\bnobody is told\b`: "is not reported", `\bwithout a line of yours\b`: "without writing code",
}

// TestWords finds what is no plain technical English in Go comments and texts, and in docs. Code generated from schemas has its authors'
// words.
func TestWords(t *testing.T) {
	patterns := map[*regexp.Regexp]string{}
	for expr, instead := range banned {
		patterns[regexp.MustCompile(expr)] = instead
	}
	check := func(where, text string) {
		for re, instead := range patterns {
			if found := re.FindString(text); found != "" {
				t.Errorf("%s: %q: write %s", where, strings.TrimSpace(found), instead)
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
		case path == "words_test.go" || strings.HasSuffix(path, ".gen.go"):
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
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Comments {
		check(set.Position(c.Pos()).String(), c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			check(set.Position(text.Pos()).String(), text.Value)
		}
		return true
	})
}
