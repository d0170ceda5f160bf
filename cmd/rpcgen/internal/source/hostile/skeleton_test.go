package hostile_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// skeleton is the syntax of Go files without comments, literals and the choice of names: two packages have the same one when they differ in
// these alone. It checks what has to hold of all generated files.
func skeleton(t testing.TB, doc *ir.Document, files []templates.File) string {
	t.Helper()
	s := &skeletal{names: map[string]int{}}
	for _, f := range files {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s is not Go: %v\n%s", f.Name, err, f.Text)
			return ""
		}
		checkComments(t, file, string(f.Text))
		fmt.Fprintf(&s.out, "\nfile %s deprecates %d ", f.Name, strings.Count(string(f.Text), "// Deprecated: "))
		bound := boundImports(doc)
		for _, i := range file.Imports {
			if path := i.Path.Value; bound[strings.Trim(path, `"`)] {
				s.out.WriteString("bound ")
			} else {
				fmt.Fprintf(&s.out, "imports %s ", path)
			}
		}
		ast.Walk(s, file)
	}
	return s.out.String()
}

// boundImports are the packages that the author asks for: those of bound types and of imported schemas.
func boundImports(doc *ir.Document) map[string]bool {
	all := map[string]bool{}
	for _, i := range doc.Imports {
		all[i.GoPath] = true
	}
	add := func(m ir.Meta) { all[m.Go.Import] = true }
	for _, d := range doc.Types {
		add(d.Meta)
		if s, ok := d.Type.(*ir.Struct); ok {
			for _, f := range s.Fields {
				add(f.Meta)
			}
		}
	}
	return all
}

// checkComments finds what tools would take for more than words, and what could not be seen.
func checkComments(t testing.TB, file *ast.File, source string) {
	t.Helper()
	if !text.Clean(source) {
		t.Errorf("%s hides something", source)
	}
	generated := 0
	for _, group := range file.Comments {
		for _, c := range group.List {
			switch words := strings.TrimPrefix(c.Text, "//"); {
			case words == c.Text, words != "" && words[0] != ' ' && words[0] != '\t', constraint.IsPlusBuild(c.Text), constraint.IsGoBuild(c.Text):
				t.Errorf("this comment is a directive: %s", c.Text)
			case strings.HasPrefix(words, " Code generated ") && strings.HasSuffix(words, "DO NOT EDIT."):
				generated++
			}
		}
	}
	if generated != 1 {
		t.Errorf("%d comments say that the file is generated", generated)
	}
}

// skeletal writes a tree.
type skeletal struct {
	out   strings.Builder
	names map[string]int
}

// Visit implements ast.Visitor.
func (s *skeletal) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case nil:
		s.out.WriteByte(')')
		return nil
	case *ast.CommentGroup, *ast.ImportSpec:
		return nil
	case *ast.BasicLit:
		s.out.WriteString(n.Kind.String() + " ")
		return nil
	case *ast.Ident:
		if _, ok := s.names[n.Name]; !ok {
			s.names[n.Name] = len(s.names)
		}
		fmt.Fprintf(&s.out, "%d ", s.names[n.Name])
		return nil
	case *ast.BinaryExpr:
		if isText(n) { // a constant of several lines
			s.out.WriteString("STRING ")
			return nil
		}
		s.out.WriteString(n.Op.String())
	case *ast.UnaryExpr:
		s.out.WriteString(n.Op.String())
	case *ast.AssignStmt:
		s.out.WriteString(n.Tok.String())
	case *ast.BranchStmt:
		s.out.WriteString(n.Tok.String())
	case *ast.GenDecl:
		s.out.WriteString(n.Tok.String())
	case *ast.Field:
		n.Tag = nil // there is one where encoding/json can read it
	}
	fmt.Fprintf(&s.out, "%s(", strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."))
	return s
}

// isText reports whether an expression consists of strings that are joined.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && isText(e.X) && isText(e.Y)
	}
	return false
}
