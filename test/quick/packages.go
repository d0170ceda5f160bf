package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the module of this repository.
const module = "github.com/rpcgen-go/rpcgen"

// pkg is a package of this module, as go list knows it.
type pkg struct {
	ImportPath, Name                   string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string // Imports has those of the tests as well
}

// tested reports whether a package has tests of its own.
func (p *pkg) tested() bool { return p != nil && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// packages returns the packages of this module by their folders. One that does not compile is among them.
func packages() (map[string]*pkg, error) {
	fields := "-json=ImportPath,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports"
	cmd := exec.Command("go", "list", "-e", fields, "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]*pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		p := new(pkg)
		if err := d.Decode(p); err != nil {
			return nil, err
		}
		p.Imports = slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		all[strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")] = p
	}
	return all, nil
}

// folder returns the folder of the package that a file belongs to: its own for a file of Go outside of testdata, otherwise the nearest one above with
// files of Go; "." where there is none. Of a nested module it returns the folder of the module as well, which is "." for this one.
func folder(file string) (mod, dir string) {
	file, _, data := strings.Cut(file, "/testdata/")
	if dir = file; !data {
		dir = path.Dir(file)
	}
	for dir != "." && (data || !strings.HasSuffix(file, ".go")) && !has(dir, "*.go") && !has(dir, "go.mod") {
		dir = path.Dir(dir)
	}
	mod = dir
	for mod != "." && !has(mod, "go.mod") {
		mod = path.Dir(mod)
	}
	return mod, dir
}

// has reports whether a folder has a file whose name matches a pattern.
func has(dir, pattern string) bool {
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	return err == nil && len(found) > 0
}
