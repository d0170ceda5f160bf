package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSequential looks for goroutines in the packages that "make test" leaves to the tests of other packages for the race detector: SEQUENTIAL
// of the Makefile.
func TestSequential(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^SEQUENTIAL = ((?:.*\\\n)*.*)$`).FindSubmatch(text)
	if found == nil {
		t.Fatal("the Makefile has no SEQUENTIAL")
	}
	args := append([]string{"list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`},
		strings.Fields(strings.ReplaceAll(string(found[1]), "\\\n", " "))...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	if len(files) < 100 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, filepath.FromSlash(file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if starts(n) {
				t.Errorf("%v starts a goroutine: strike its package from SEQUENTIAL in the Makefile", positions.Position(n.Pos()))
			}
			return true
		})
	}
}

// starts reports whether a node starts a goroutine: with a go statement, or with a method Go, such as that of [sync.WaitGroup].
func starts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		called, ok := n.Fun.(*ast.SelectorExpr)
		return ok && called.Sel.Name == "Go"
	}
	return false
}
