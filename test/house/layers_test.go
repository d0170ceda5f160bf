package house

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layered are the packages whose files are in layers: each of them can be read from the bottom up. Types that refer to each other share a file.
var layered = []string{"runtime/mcp", "templates"}

// tangled are packages some of whose files are in no layer, and how many uses there are between such files. The figures may only fall; at zero, a package is layered.
var tangled = map[string]int{"cmd/rpcgen/internal/language/diff": 263, "cmd/rpcgen/internal/source/importer/openapi": 117, "runtime/x/contract": 184}

// TestLayers looks for files of a package that use each other, directly or through others: a file uses those that declare the functions, methods,
// types, variables and constants that it names.
func TestLayers(t *testing.T) {
	root()
	t.Parallel()
	dirs := slices.Concat(layered, slices.Collect(maps.Keys(tangled)))
	imports := importerOf(t, dirs)
	for _, dir := range dirs {
		var between []string
		files := uses(t, dir, imports)
		if len(files) < 10 {
			t.Fatalf("%s has %d files", dir, len(files))
		}
		below := map[string][]string{} // the files that are in layers below others
		for len(below) < len(files) {
			n := len(below)
			for file, used := range files {
				if below[file] == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(u string) bool { return below[u] == nil }) {
					below[file] = []string{file}
				}
			}
			if len(below) == n {
				for file, used := range files {
					for u, name := range used {
						if below[file] == nil && below[u] == nil {
							between = append(between, fmt.Sprintf("%s: %s is in no layer: it uses %s of %s", dir, file, name, u))
						}
					}
				}
				break
			}
		}
		if len(between) != tangled[dir] {
			t.Errorf("%s\n%s: %d uses between files in no layer, and not %d, which may only fall", strings.Join(between, "\n"), dir, len(between), tangled[dir])
		}
	}
}

// importerOf returns what imports the packages that packages import.
func importerOf(t *testing.T, dirs []string) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		path, file, _ := strings.Cut(lines.Text(), " ")
		exports[path] = file
	}
	return importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// uses returns the files of a package, the other files that each of them uses, and one name that it uses of them.
func uses(t *testing.T, dir string, imports types.Importer) map[string]map[string]string {
	t.Helper()
	paths, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parse(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	checker := types.Config{Importer: imports}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := checker.Check(module+"/"+dir, positions, files, info)
	if err != nil {
		t.Fatal(err)
	}
	nameOf := func(pos token.Pos) string { return filepath.Base(positions.Position(pos).Filename) }
	all := map[string]map[string]string{}
	for _, file := range files {
		all[nameOf(file.Pos())] = map[string]string{}
	}
	for id, o := range info.Uses {
		if v, ok := o.(*types.Var); o.Pkg() != pkg || ok && v.IsField() {
			continue
		}
		if from, to := nameOf(id.Pos()), nameOf(o.Pos()); from != to {
			all[from][to] = o.Name()
		}
	}
	return all
}
