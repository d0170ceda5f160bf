package house

import (
	"go/ast"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestSequential looks for goroutines in the packages that "make test" leaves to the tests of other packages for the race detector: those that
// a comment marks with "//test:sequential".
func TestSequential(t *testing.T) {
	root()
	t.Parallel()
	sequential, err := marked.Packages(".", "//test:sequential")
	if err != nil {
		t.Fatal(err)
	}
	all, files := units(t), []string(nil)
	for dir := range sequential {
		if all[dir] == nil {
			t.Fatalf("%s is no package", dir)
		}
		files = append(files, all[dir].paths()...)
	}
	if len(files) < 100 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		parsed, err := parse(file)
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
