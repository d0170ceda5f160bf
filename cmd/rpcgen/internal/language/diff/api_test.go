package diff_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// api lists what a program may use of a generated package: exported names with their types, and fields and methods of types.
func api(t rapid.TB, doc *ir.Document) map[string]string {
	files, faults, err := templates.Generate(doc, templates.Options{})
	if err != nil || faults.HasErrors() {
		t.Skip("no Go is made of it: ", err, faults)
	}
	all := map[string]string{}
	for _, f := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			addDecl(all, d)
		}
	}
	return all
}

func addDecl(all map[string]string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = strings.TrimPrefix(source(d.Recv.List[0].Type), "*") + "." + name
		}
		if ast.IsExported(name) && ast.IsExported(d.Name.Name) {
			all[name] = types(d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				all[s.Names[0].Name] = ""
			case *ast.TypeSpec:
				addType(all, s)
			}
		}
	}
}

// types are the types of a function, without the names of its parameters.
func types(f *ast.FuncType) string {
	text := ""
	for _, list := range []*ast.FieldList{f.Params, f.Results} {
		if list != nil {
			for _, p := range list.List {
				text += source(p.Type) + ","
			}
		}
		text += ";"
	}
	return text
}

func addType(all map[string]string, s *ast.TypeSpec) {
	if !s.Name.IsExported() {
		return
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		all[s.Name.Name] = "struct"
		for _, f := range t.Fields.List {
			for _, n := range f.Names {
				all[s.Name.Name+"."+n.Name] = source(f.Type)
			}
		}
	case *ast.InterfaceType:
		all[s.Name.Name] = "interface"
	default:
		all[s.Name.Name] = source(s.Type)
	}
}

func source(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		panic(err)
	}
	return b.String()
}

// taken returns what a program that used the old package no longer finds in the new one.
func taken(old, new map[string]string) string {
	for name, text := range old {
		now, there := new[name]
		switch {
		case !ast.IsExported(name) || strings.HasSuffix(name, ".CheckRules") || strings.HasSuffix(name, ".CheckAt"):
		case strings.HasPrefix(name, "Default"):
		case !there:
			return name + " is gone"
		case now != text:
			return name + " was " + text + ", and is " + now
		}
	}
	return ""
}

// The verdict on Go is what the generated code shows: it breaks exactly when something is gone or has another type. (Validators and
// functions of defaults come and go with the rules and defaults that they are for.)
func TestGoVerdicts(t *testing.T) {
	olds, apis := map[string]*ir.Document{}, map[string]map[string]string{}
	for _, name := range []string{examples[0], examples[2]} {
		olds[name] = example(t, name)
		apis[name] = api(t, olds[name])
	}
	for kind, edit := range allEdits() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				name, new, _ := edited(t, []string{examples[0], examples[2]}, edit)
				old := olds[name]
				r := diff.Compare(old, new, names)
				breaks := r.Count(diff.Go, diff.Break) > 0
				if what := taken(apis[name], api(t, new)); breaks != (what != "") {
					t.Fatalf("break: %v, but %q;%s", breaks, what, told(r))
				}
			})
		})
	}
}
