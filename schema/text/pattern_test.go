package text_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPatterns compiles the expressions of all patterns, which programs do when they need one.
func TestPatterns(t *testing.T) {
	tried := 0
	for _, folder := range []string{"schema", "templates", "cmd", "runtime/x/contract"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(source, []byte("Pattern(")) {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				name, called := call.Fun.(*ast.SelectorExpr)
				literal, ok := call.Args[0].(*ast.BasicLit)
				if !called || !ok || name.Sel.Name != "Pattern" || literal.Kind != token.STRING {
					return true
				}
				expr, err := strconv.Unquote(literal.Value)
				if err == nil {
					_, err = regexp.Compile(expr)
				}
				if tried++; err != nil {
					t.Errorf("%s: %v", path, err)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if tried < 80 {
		t.Errorf("%d patterns are tried", tried)
	}
}
