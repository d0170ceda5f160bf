package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// promised are the packages that people use, with the Go 1 promise from v1 on, and how many exported names and methods each has.
// A number may fall. It rises only with a reason in the change that raises it: package runtime has the few names of gen/wire and gen/violation that
// people hold, so that no hand-written file imports runtime/gen. AfterAnswer is the 69th method. Streams have three names: Tap, ErrSlowReader
// and when.TooManyStreams, and the method Items. Scopes have three: WithScopes, Scopes and when.Forbidden, and the method MissingData.
var promised = map[string]struct{ names, methods int }{
	"runtime":                   {57, 71},
	"runtime/frame":             {18, 4},
	"runtime/when":              {23, 0},
	"runtime/principal":         {6, 0},
	"runtime/transport":         {4, 0},
	"runtime/transport/stdio":   {15, 5},
	"runtime/transport/tcp":     {24, 1},
	"runtime/transport/tcptls":  {4, 0},
	"runtime/transport/pipe":    {2, 5},
	"runtime/transport/rpchttp": {14, 8},
	"runtime/mcp":               {90, 97},
	"runtime/mcp/mcpclient":     {55, 53},
	"runtime/mcp/mcphttp":       {21, 9},
	"runtime/mcp/mcpauth":       {40, 17},
}

// TestPromise: the packages that people use are those of docs/compatibility.md, and what they export does not grow.
func TestPromise(t *testing.T) {
	root()
	t.Parallel()
	page, err := os.ReadFile("docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "## The packages of v1")
	list, _, _ = strings.Cut(list, "\n## ")
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(runtime[\\w/]*)` \\|").FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	names, methods := 0, 0
	for dir, most := range promised {
		if !slices.Contains(listed, dir) {
			t.Errorf("docs/compatibility.md does not list %s", dir)
		}
		n, m := exports(t, dir)
		if n > most.names || m > most.methods {
			t.Errorf("%s exports %d names and %d methods, and not at most %d and %d", dir, n, m, most.names, most.methods)
		}
		names, methods = names+n, methods+m
	}
	if len(listed) != len(promised) {
		t.Errorf("docs/compatibility.md lists %d packages, and there are %d", len(listed), len(promised))
	}
	if names > 380 || methods > 280 {
		t.Errorf("%d names and %d methods are promised, and not at most 380 and 280", names, methods)
	}
	t.Logf("%d names and %d methods in %d packages", names, methods, len(promised))
}

// exports counts the exported names of a package, and the exported methods of its exported types.
func exports(t *testing.T, dir string) (names, methods int) {
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parse(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			names += len(exported(d))
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && ast.IsExported(receiver(f.Recv.List[0].Type)) {
				methods++
			}
		}
	}
	return names, methods
}
