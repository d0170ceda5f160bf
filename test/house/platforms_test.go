package house

import (
	"errors"
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// platforms differ most from each other: in the family of systems, and in the size of integers. "make cross" builds for all.
var platforms = []string{"windows/amd64", "darwin/arm64", "linux/386", browser}

// browser is the platform of the playground, for which only its compiler is built.
const browser = "js/wasm"

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
			c := &checkedPackages{sizes: types.SizesFor("gc", arch), all: map[string]*types.Package{"unsafe": types.Unsafe}}
			packages := "./..."
			if platform == browser {
				packages = "./cmd/rpcgen/internal/workshop/playground/wasm"
			}
			all, err := list(packages, "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range all {
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

// checkedPackages are the packages of one platform whose types are known.
type checkedPackages struct {
	sizes types.Sizes
	all   map[string]*types.Package
}

// check checks a package, whose imports have been checked. What is within functions counts in this module alone.
func (c *checkedPackages) check(p *unit) error {
	if c.all[p.ImportPath] != nil {
		return nil
	}
	var parsed []*ast.File
	for _, name := range p.paths() {
		file, err := parse(name)
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
	c.all[p.ImportPath], _ = config.Check(p.ImportPath, positions, parsed, nil)
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
