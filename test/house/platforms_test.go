package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// platforms differ most from each other: in the family of systems, and in the size of integers. "make cross" builds for all.
var platforms = []string{"windows/amd64", "darwin/arm64", "linux/386", browser}

// browser is the platform of the playground, for which only its compiler is built.
const browser = "js/wasm"

// listed is a package in the answer of "go list".
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // from paths in files to those of packages, where they differ
}

// TestPlatforms checks the types of all packages as other platforms compile them: in the files that these have, and with their sizes of
// integers. That costs a tenth of building.
func TestPlatforms(t *testing.T) {
	root()
	if testing.Short() {
		t.Skip("reads the standard library")
	}
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			c := &checkedPackages{files: token.NewFileSet(), sizes: types.SizesFor("gc", arch), all: map[string]*types.Package{"unsafe": types.Unsafe}}
			for _, p := range listFor(t, system, arch) {
				if err := c.check(p); err != nil {
					t.Error(err)
				}
			}
			if n := len(c.all); n < 200 && platform != browser || n < 100 {
				t.Errorf("%d packages were checked", n)
			}
		})
	}
}

// listFor lists the packages of a platform, each after those that it imports.
func listFor(t *testing.T, system, arch string) (all []listed) {
	t.Helper()
	packages := "./..."
	if system+"/"+arch == browser {
		packages = "./cmd/rpcgen/internal/workshop/playground/wasm"
	}
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap", packages)
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// checkedPackages are the packages of one platform whose types are known.
type checkedPackages struct {
	files *token.FileSet
	sizes types.Sizes
	all   map[string]*types.Package
}

// check checks a package, whose imports have been checked. What is within functions counts in this module alone.
func (c *checkedPackages) check(p listed) error {
	if c.all[p.ImportPath] != nil {
		return nil
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	var faults []error
	config := types.Config{
		Importer:         importMap{c, p.ImportMap},
		Sizes:            c.sizes,
		IgnoreFuncBodies: !strings.HasPrefix(p.ImportPath, "github.com/rpcgen-go/rpcgen"),
		FakeImportC:      true,
		Error:            func(err error) { faults = append(faults, err) },
	}
	c.all[p.ImportPath], _ = config.Check(p.ImportPath, c.files, parsed, nil)
	return errors.Join(faults...)
}

// importMap imports for one package.
type importMap struct {
	*checkedPackages
	paths map[string]string
}

// Import implements [types.Importer].
func (m importMap) Import(path string) (*types.Package, error) {
	if mapped, ok := m.paths[path]; ok {
		path = mapped
	}
	if p := m.all[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("package " + path + " is not listed before what imports it")
}
