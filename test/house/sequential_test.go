package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestSequential looks for goroutines in the packages that "make test" leaves to the tests of other packages for the race detector: those that
// a comment marks with "//test:sequential".
func TestSequential(t *testing.T) {
	root()
	t.Parallel()
	list := []string{"list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`}
	sequential, err := marked.Packages(".", "//test:sequential")
	if err != nil {
		t.Fatal(err)
	}
	for dir := range sequential {
		list = append(list, "./"+dir)
	}
	out, err := exec.Command("go", list...).Output()
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
				t.Errorf("%v starts a goroutine: remove //test:sequential from its package", positions.Position(n.Pos()))
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
