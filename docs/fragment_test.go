package docs_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// packages are those that fragments of Go use by their names, besides the packages of the page's own module.
var packages = []string{
	"bytes", "context", "crypto/tls", "crypto/x509", "encoding/json", "errors", "fmt", "io", "log", "log/slog", "net", "net/http", "net/http/httptest",
	"os", "os/exec", "slices", "strconv", "strings", "sync", "testing", "testing/synctest", "time",
	"github.com/rpcgen-go/rpcgen/generated/toolbox",
	"github.com/rpcgen-go/rpcgen/generated/weather",
	"github.com/rpcgen-go/rpcgen/runtime",
	"github.com/rpcgen-go/rpcgen/runtime/frame",
	"github.com/rpcgen-go/rpcgen/runtime/mcp",
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth",
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient",
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp",
	"github.com/rpcgen-go/rpcgen/runtime/principal",
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe",
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp",
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio",
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp",
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcptls",
	"github.com/rpcgen-go/rpcgen/runtime/when",
	"github.com/rpcgen-go/rpcgen/runtime/x/cache",
	"github.com/rpcgen-go/rpcgen/runtime/x/discover",
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer",
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache",
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster",
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic",
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask",
	"github.com/rpcgen-go/rpcgen/runtime/x/message",
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit",
	"github.com/rpcgen-go/rpcgen/runtime/x/reconnect",
}

// packagesOf are further packages that fragments use in modules of the checkout.
var packagesOf = map[string][]string{
	"runtime/x/mcpnats":          {"github.com/nats-io/nats.go"},
	"runtime/mcp/mcpotel":        {"github.com/rpcgen-go/rpcgen/runtime/rpcotel"},
	"runtime/x/otel/backendotel": {"github.com/rpcgen-go/rpcgen/runtime/x/backend"},
}

// checkFragment type-checks a piece of Go: declarations, or statements. Its imports follow from the names that it uses; what it declares
// need not be used.
func (s *story) checkFragment(b block) error {
	folder, listed := s.folder, append([]string{"./..."}, packages...)
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		folder, listed = s.root, packages
	}
	return s.checkFragmentIn(folder, listed, b)
}

// checkFragmentIn is checkFragment in a module, with the names of packages that it lists.
func (s *story) checkFragmentIn(folder string, listed []string, b block) error {
	known, err := list(folder, listed)
	if err != nil {
		return err
	}
	file, err := parseFragment(known.files, b, known.imports)
	if err != nil {
		return err
	}
	known.Lock()
	defer known.Unlock()
	var all []error
	config := types.Config{
		Importer: known.importer,
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); !ok || !e.Soft {
				all = append(all, err)
			}
		},
	}
	config.Check("fragment", known.files, []*ast.File{file}, nil)
	return errors.Join(all...)
}

// parseFragment reads a fragment as a file, or as the body of a function that gets ctx and what the page says is given.
func parseFragment(files *token.FileSet, b block, imports map[string]string) (*ast.File, error) {
	header := "package fragment; "
	for name, path := range imports {
		header += fmt.Sprintf("import %s %q; ", name, path)
	}
	if file, err := parser.ParseFile(files, b.page, fmt.Sprintf("%s\n//line %v\n%s", header, b, b.text), 0); err == nil {
		return file, nil
	}
	names := "ctx context.Context"
	if b.given != "" {
		names += ", " + b.given
	}
	text := fmt.Sprintf("%sfunc _(%s) error {\n//line %v\n%s\npanic(0) }", header, names, b, b.text)
	return parser.ParseFile(files, b.page, text, 0)
}

// listing holds the packages that fragments may use.
type listing struct {
	sync.Mutex // while a fragment is checked: the importer serves one at a time, and reads each package once for all
	importer   types.Importer
	files      *token.FileSet
	imports    map[string]string // paths, by name
}

// listings holds the listings of folders, as func() (*listing, error).
var listings sync.Map

// list lists packages as the module of a folder sees them. Scripts that follow do not change what it found before.
func list(folder string, packages []string) (*listing, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	once, _ := listings.LoadOrStore(folder, sync.OnceValues(func() (*listing, error) { return listOnce(folder, packages) }))
	return once.(func() (*listing, error))()
}

func listOnce(folder string, packages []string) (*listing, error) {
	format := "{{.DepOnly}} {{.Name}} {{.ImportPath}} {{.Export}}"
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", format}, packages...)...)
	cmd.Dir, cmd.Env = folder, environment()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%w\n%s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	exports := map[string]string{} // files, by path
	l := &listing{files: token.NewFileSet(), imports: map[string]string{}}
	l.importer = importer.ForCompiler(l.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for line := range strings.Lines(string(out)) {
		var dependency bool
		var name, path, export string
		fmt.Sscan(line, &dependency, &name, &path, &export)
		exports[path] = export
		if !dependency && name != "main" {
			l.imports[name] = path
		}
	}
	return l, nil
}
