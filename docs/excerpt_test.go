package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	linediff "github.com/rogpeppe/go-internal/diff"
)

// excerpt compares a block with the declaration of the checkout that it shows: FILE#NAME, or FILE#TYPE.METHOD.
func (s *story) excerpt(b block) error {
	file, name, _ := strings.Cut(strings.TrimPrefix(b.argument, "from "), "#")
	source, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		names, doc := declared(d)
		if strings.Contains(" "+names+" ", " "+name+" ") {
			from := d.Pos()
			if doc != nil {
				from = doc.Pos()
			}
			return b.replace(string(source[files.Position(from).Offset:files.Position(d.End()).Offset]) + "\n")
		}
	}
	return fmt.Errorf("%s declares no %s", file, name)
}

// declared returns the names that a declaration declares, and its comment.
func declared(d ast.Decl) (names string, doc *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name, d.Doc
		}
		owner := d.Recv.List[0].Type
		if star, ok := owner.(*ast.StarExpr); ok {
			owner = star.X
		}
		return fmt.Sprint(owner) + "." + d.Name.Name, d.Doc
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names += " " + spec.Name.Name
			case *ast.ValueSpec:
				names += " " + spec.Names[0].Name
			}
		}
		return names, d.Doc
	}
	return "", nil
}

// replace reports that the text of a block is not what it should be. With -update, it writes that into the page.
func (b block) replace(want string) error {
	if want == b.text {
		return nil
	}
	if !*update {
		return fmt.Errorf("run go test ./docs -update\n%s", linediff.Diff("page", []byte(b.text), "should be", []byte(want)))
	}
	page, err := os.ReadFile(b.page)
	if err != nil {
		return err
	}
	fence := "\n```" + b.language + " " + b.argument + "\n"
	old, new := fence+b.text+"```\n", fence+want+"```\n"
	return os.WriteFile(b.page, []byte(strings.Replace(string(page), old, new, 1)), 0o644)
}
