package house

import (
	"debug/dwarf"
	"debug/elf"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"
	"strings"
	"testing"
)

// functions returns the names of the functions whose code a program has, inlined or not, and none where programs are no ELF files.
func functions(t *testing.T, program string) map[string]bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		return map[string]bool{}
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for r := data.Reader(); ; {
		entry, err := r.Next()
		switch {
		case err != nil:
			t.Fatal(err)
		case entry == nil:
			return all
		case entry.Tag == dwarf.TagSubprogram:
			if name, ok := entry.Val(dwarf.AttrName).(string); ok {
				name, _, _ = strings.Cut(name, "[") // the arguments of a generic function
				all[name] = true
			}
			r.SkipChildren()
		}
	}
}

// leftOut counts the lines of the functions of a file, with their comments and the empty line after each, that are not among those kept.
func leftOut(t *testing.T, text []byte, path string, kept map[string]bool) (lines int) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if file.Name.Name == "main" {
		path = "main"
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || kept[path+"."+f.Name.Name] && f.Recv == nil {
			continue
		}
		if f.Recv != nil {
			name := receiver(f.Recv.List[0].Type)
			if kept[path+"."+name+"."+f.Name.Name] || kept[path+".(*"+name+")."+f.Name.Name] || kept[path+".(*"+name] {
				continue
			}
		}
		begin := f.Pos()
		if f.Doc != nil {
			begin = f.Doc.Pos()
		}
		lines += files.Position(f.End()).Line - files.Position(begin).Line + 2
	}
	return lines
}
