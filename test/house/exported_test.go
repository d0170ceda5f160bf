package house

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExportedNames counts what the index of a package that people read holds, so that a name is added on purpose.
func TestExportedNames(t *testing.T) {
	root()
	for dir, most := range map[string]int{"runtime": 57, "runtime/mcp": 90} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parse(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				names = append(names, exported(d)...)
			}
		}
		if len(names) == 0 || len(names) > most {
			t.Errorf("package %s exports %d names, and not at most %d: what only generated code or transports use has packages of its own", dir, len(names), most)
		}
	}
}

// TestPlanIsReadOnly: what is called how, what is known of types and which code is needed is decided before anything is written. Only the file
// of a phase changes its value.
func TestPlanIsReadOnly(t *testing.T) {
	root()
	phases := map[string][]string{"names": {"names.go", "naming.go", "naming_patterns.go"}, "forms": {"forms.go"}, "needs": {"needs.go"}}
	files, err := filepath.Glob("templates/*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		parsed, err := parse(file)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || assign.Tok == token.DEFINE {
				return true
			}
			for _, to := range assign.Lhs {
				for value, own := range phases {
					if changes(to, value) && !slices.Contains(own, filepath.Base(file)) {
						t.Errorf("%s changes %s: only %v may", positions.Position(to.Pos()), value, own)
					}
				}
			}
			return true
		})
	}
}

// changes reports whether an assignment to an expression changes something in a field with a name.
func changes(to ast.Expr, field string) bool {
	switch e := to.(type) {
	case *ast.IndexExpr:
		return changes(e.X, field)
	case *ast.SelectorExpr:
		inner, ok := e.X.(*ast.SelectorExpr)
		return ok && (inner.Sel.Name == field || changes(inner, field))
	}
	return false
}

// exported returns the exported names that d declares in its package.
func exported(d ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id)
				}
			}
		}
	}
	return names
}
