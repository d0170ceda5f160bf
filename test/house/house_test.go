package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// root enters the root of the repository. Each test calls it first: what TestMain enters, go test does not learn, and would remember results of files that differ.
var root = sync.OnceFunc(func() {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
})

var (
	// positions are those of all files that parse has read.
	positions = token.NewFileSet()
	// parsed holds what parse returns, as func() (*ast.File, error), by path.
	parsed sync.Map
)

// parse parses a file of Go once for all tests, which only look at it. Files of other modules have neither comments nor what is within functions.
func parse(path string) (*ast.File, error) {
	once, _ := parsed.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		if !filepath.IsAbs(path) {
			return parser.ParseFile(positions, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		}
		file, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				f.Body = new(ast.BlockStmt)
			}
		}
		return file, nil
	}))
	return once.(func() (*ast.File, error))()
}

// ofYours lists the places, as file:line: ..., that stand in files which differ from the last commit: a limit is passed by one of them. Where none does, git is
// not there or the commit has it already, and all places are listed.
func ofYours(places []string) string {
	out, _ := exec.Command("git", "status", "--porcelain", "--untracked-files=all").Output() // see above
	changed := slices.DeleteFunc(slices.Clone(places), func(place string) bool {
		file, _, _ := strings.Cut(place, ":")
		return !strings.Contains(string(out), " "+file+"\n")
	})
	if len(changed) == 0 {
		changed = places
	}
	return "\n" + strings.Join(changed, "\n")
}
