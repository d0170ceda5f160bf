package command

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// drifting is a Go declaration that differs from the one that the schema compiles to.
type drifting struct {
	file  string
	name  string // such as Report or Report.DecodeJSON
	owner string // the type of a method, otherwise the name itself
	how   string // "new", "gone" or "" for changed
}

func (d drifting) text() string {
	if d.how == "" {
		return d.name
	}
	return d.name + " (" + d.how + ")"
}

// declarations compares the declarations in files with those that the files should hold, in the order of the files. It ignores
// alignment.
func declarations(changes []change) ([]drifting, error) {
	var all []drifting
	for _, c := range changes {
		old, before, err := declared(c.path, c.old)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read as Go: %w", display(c.path), err)
		}
		new, order, err := declared(c.path, c.new)
		if err != nil {
			return nil, err
		}
		file := filepath.Base(c.path)
		for _, d := range order {
			if text, there := old[d]; !there {
				all = append(all, drifting{file, d.name, d.owner, "new"})
			} else if text != new[d] {
				all = append(all, drifting{file, d.name, d.owner, ""})
			}
		}
		for _, d := range before {
			if _, there := new[d]; !there {
				all = append(all, drifting{file, d.name, d.owner, "gone"})
			}
		}
	}
	return all, nil
}

// goDecl is the name of a top-level declaration.
type goDecl struct{ name, owner string }

// declared reads the top-level declarations of a file: their texts without alignment, and their order.
func declared(path string, text []byte) (map[goDecl]string, []goDecl, error) {
	texts := map[goDecl]string{}
	if text == nil {
		return texts, nil, nil
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	var order []goDecl
	add := func(d goDecl, n ast.Node) {
		if _, twice := texts[d]; !twice {
			order = append(order, d)
		}
		from, to := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		texts[d] += strings.Join(strings.Fields(string(text[from:to])), " ")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(funcName(d), d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(goDecl{s.Name.Name, s.Name.Name}, s)
				case *ast.ValueSpec:
					add(goDecl{s.Names[0].Name, s.Names[0].Name}, s)
				}
			}
		}
	}
	return texts, order, nil
}

// funcName is the name of a function, led by its receiver.
func funcName(d *ast.FuncDecl) goDecl {
	if d.Recv == nil {
		return goDecl{d.Name.Name, d.Name.Name}
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	owner := fmt.Sprint(t)
	full := owner + "." + d.Name.Name
	if ast.IsExported(owner) {
		return goDecl{full, owner}
	}
	return goDecl{full, d.Name.Name} // a method of the router or the client belongs to the method that it serves
}
