package hostile_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// skeleton is the syntax of Go files without comments, literals and the choice of names: two packages have the same one when they differ in
// these alone. It checks what has to hold of all generated files.
func skeleton(t testing.TB, doc *ir.Document, files []templates.File) string {
	t.Helper()
	var out strings.Builder
	bound, names := boundImports(doc), map[string]int{}
	for _, f := range files {
		is := bones(t, f)
		if is == nil {
			return ""
		}
		fmt.Fprintf(&out, "\nfile %s deprecates %d ", f.Name, is.deprecated)
		for _, path := range is.imports {
			if bound[strings.Trim(path, `"`)] {
				out.WriteString("bound ")
			} else {
				fmt.Fprintf(&out, "imports %s ", path)
			}
		}
		for i, syntax := range is.syntax {
			out.WriteString(syntax)
			if i < len(is.names) {
				n, known := names[is.names[i]]
				if !known {
					n = len(names)
					names[is.names[i]] = n
				}
				out.WriteString(strconv.Itoa(n))
			}
		}
	}
	return out.String()
}

// skeletons are those of the last files by their texts: most hostile texts change one file of several.
var skeletons struct {
	sync.Mutex
	of map[string]*skeletal
}

// bones reads a file and checks it, once for each text. It is nil if the file is not Go.
func bones(t testing.TB, f templates.File) *skeletal {
	t.Helper()
	key := f.Name + "\n" + string(f.Text)
	skeletons.Lock()
	is := skeletons.of[key]
	skeletons.Unlock()
	if is != nil {
		return is
	}
	file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s is not Go: %v\n%s", f.Name, err, f.Text)
		return nil
	}
	checkComments(t, file, string(f.Text))
	s := &skeletal{deprecated: strings.Count(string(f.Text), "// Deprecated: ")}
	for _, i := range file.Imports {
		s.imports = append(s.imports, i.Path.Value)
	}
	ast.Walk(s, file)
	s.name("")
	s.names = s.names[:len(s.names)-1]
	skeletons.Lock()
	defer skeletons.Unlock()
	if len(skeletons.of)%200 == 0 {
		skeletons.of = map[string]*skeletal{}
	}
	skeletons.of[key] = s
	return s
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

// skeletal is the skeleton of a file, in which names have no numbers yet: each of syntax but the last ends where one of names stands.
type skeletal struct {
	deprecated    int
	imports       []string
	syntax, names []string
	out           strings.Builder
}

func (s *skeletal) name(is string) {
	s.syntax, s.names = append(s.syntax, s.out.String()), append(s.names, is)
	s.out.Reset()
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
		s.name(n.Name)
		s.out.WriteByte(' ')
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
