package house

import (
	"go/ast"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// large are the structs with more methods and functions than others may have, and how many; they may only fall.
var large = map[string]int{
	"runtime/gen/wire.Reader":                               110, // one function for each kind of value
	"runtime/x/contract.rig":                                146, // what a check is given, by value
	"runtime/mcp.Request":                                   85,
	"cmd/rpcgen/internal/language/diff.scope":               79, // what a comparison is given
	"runtime.Call":                                          70,
	"runtime/mcp.Server":                                    68,
	"runtime/x/contract.session":                            69,
	"cmd/rpcgen/internal/source/importer/convert.Converter": 62,
	"runtime/x/mount.Upstreams":                             61,
}

// TestMethods counts the methods that each hand-written type reaches, those of the types of this module that it embeds included, and the functions of its package
// that take a struct: one that reaches many is several, any of which may change what another reads.
func TestMethods(t *testing.T) {
	root()
	t.Parallel()
	types := map[string]*reaching{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || file != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".gen.go"):
			return nil
		}
		parsed, err := parse(file)
		if err == nil {
			addReaching(types, filepath.ToSlash(filepath.Dir(file)), parsed)
		}
		return err
	})
	if err != nil || len(types) < 100 {
		t.Fatalf("%d types, %v", len(types), err)
	}
	for name := range types {
		reached := map[string]bool{}
		reach(types, name, reached, map[string]bool{})
		if own := types[name]; own.fields {
			for _, f := range own.takers {
				reached[f] = true
			}
		}
		most := max(60, large[name])
		if len(reached) > most {
			t.Errorf("%s reaches %d methods and functions, and not at most %d: divide it into types that each hold what they need", name, len(reached), most)
		} else if large[name] > 0 && len(reached) < most {
			t.Errorf("%s reaches %d methods and functions: say so in place of %d", name, len(reached), most)
		}
	}
}

// reaching is what a type declares itself, what takes it, and the names of the types of this module that it embeds.
type reaching struct {
	methods  []string
	embedded []string
	takers   []string // functions of its package that take it
	fields   bool     // it is a struct
}

// addReaching adds what a file declares, in the package in a folder, to types.
func addReaching(types map[string]*reaching, dir string, file *ast.File) {
	of := func(name string) *reaching {
		name = dir + "." + name
		if types[name] == nil {
			types[name] = new(reaching)
		}
		return types[name]
	}
	imported := map[string]string{} // folders, by the names of packages
	for _, i := range file.Imports {
		if at, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
			name := path.Base(at)
			if i.Name != nil {
				name = i.Name.Name
			}
			imported[name] = at
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			own := of(receiver(f.Recv.List[0].Type))
			own.methods = append(own.methods, f.Name.Name)
		}
		if f, ok := d.(*ast.FuncDecl); ok {
			for _, p := range f.Type.Params.List {
				if name := receiver(p.Type); name != "" {
					of(name).takers = append(of(name).takers, f.Name.Name)
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		own, fields := of(spec.Name.Name), []*ast.Field(nil)
		switch s := spec.Type.(type) {
		case *ast.StructType:
			fields, own.fields = s.Fields.List, true
		case *ast.InterfaceType:
			fields = s.Methods.List
		}
		for _, f := range fields {
			if _, method := f.Type.(*ast.FuncType); method {
				own.methods = append(own.methods, f.Names[0].Name)
			} else if len(f.Names) == 0 {
				own.embedded = append(own.embedded, embedded(f.Type, dir, imported))
			}
		}
		return true
	})
}

// embedded returns the folder and the name of a type that is embedded in a package.
func embedded(e ast.Expr, dir string, imported map[string]string) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embedded(e.X, dir, imported)
	case *ast.IndexExpr:
		return embedded(e.X, dir, imported)
	case *ast.SelectorExpr:
		return imported[e.X.(*ast.Ident).Name] + "." + e.Sel.Name
	case *ast.Ident:
		return dir + "." + e.Name
	}
	return ""
}

// reach adds the methods that a type reaches to reached.
func reach(types map[string]*reaching, name string, reached, seen map[string]bool) {
	own := types[name]
	if own == nil || seen[name] {
		return
	}
	seen[name] = true
	for _, m := range own.methods {
		reached[m] = true
	}
	for _, e := range own.embedded {
		reach(types, e, reached, seen)
	}
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
