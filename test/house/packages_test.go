package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// unit is a package, as go list knows it.
type unit struct {
	ImportPath, Dir, Name              string // Dir is relative to the root of the repository in this module
	DepOnly                            bool   // it is not of this module, but imported
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	ImportMap                          map[string]string // from paths in files to those of packages, where they differ
}

func (u *unit) tested() bool { return len(u.TestGoFiles)+len(u.XTestGoFiles) > 0 }

// paths returns the paths of the files of a package, without those of its tests.
func (u *unit) paths() (all []string) {
	for _, name := range u.GoFiles {
		all = append(all, filepath.Join(u.Dir, name))
	}
	return all
}

// list lists packages and what they import, each after those that it imports, as they are with variables of the environment.
func list(packages string, environment ...string) (all []*unit, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Name,DepOnly,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,ImportMap", packages)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		u := new(unit)
		if err := d.Decode(u); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		u.Dir = strings.TrimPrefix(u.Dir, here+string(filepath.Separator))
		all = append(all, u)
	}
}

// known holds what list returns of this module, by path.
var known = sync.OnceValues(func() (map[string]*unit, error) {
	all := map[string]*unit{}
	listed, err := list("./...")
	for _, u := range listed {
		all[u.ImportPath] = u
	}
	return all, err
})

// units returns the packages of this module, by folder.
func units(t *testing.T) map[string]*unit {
	t.Helper()
	all, err := known()
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]*unit{}
	for path, u := range all {
		if !u.DepOnly {
			own[strings.TrimPrefix(path, module+"/")] = u
		}
	}
	return own
}

// links returns the packages that a program with packages of this module links, by path: they themselves, and what they import, directly or through others.
func links(t *testing.T, folders ...string) map[string]*unit {
	t.Helper()
	all, err := known()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]*unit{}
	var add func(path string)
	add = func(path string) {
		if u := all[path]; u != nil && linked[path] == nil {
			linked[path] = u
			for _, i := range u.Imports {
				add(i)
			}
		}
	}
	for _, folder := range folders {
		if all[module+"/"+folder] == nil {
			t.Fatalf("there is no package %s", folder)
		}
		add(module + "/" + folder)
	}
	return linked
}
