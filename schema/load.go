// Package schema loads schema files. It is a facade; the phases are packages of their own:
//
//	syntax  YAML text to a tree with positions
//	check   the tree to the checked model, with all diagnostics
//	ir      the checked model
//	judge   the slow, obvious reading of the model
//	diag    positions, diagnostics, their codes and printing
//
//test:sequential
package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/check"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Load reads and checks a schema file and what it imports. The document is nil when there are errors.
func Load(path string) (*ir.Document, diag.List) { return new(Loader).Load(path) }

// Loader loads schema files, each once. It is not safe for concurrent use.
type Loader struct {
	// Read gives the text of a file; nil reads the file system. Paths have forward slashes.
	Read func(path string) ([]byte, error)

	// Modules holds the files of the modules of the language, such as mcp/module.yaml; nil for those of this rpcgen.
	Modules fs.FS

	files   map[string]*loadedFile
	loading []string // the files on the way, for cycles
}

// loadedFile is what is known of a loaded file.
type loadedFile struct {
	text   []byte
	doc    *ir.Document
	faults diag.List
	err    error // it cannot be read
}

// Load reads and checks a schema file and what it imports. The document is nil when there are errors. Diagnostics of imported files are among those returned.
func (l *Loader) Load(name string) (*ir.Document, diag.List) {
	name = filepath.ToSlash(filepath.Clean(name))
	f := l.load(name)
	if f.err != nil {
		return nil, diag.List{{Code: diag.FileUnreadable, Span: diag.Span{Pos: diag.Pos{File: name, Line: 1, Col: 1}, Len: 1}, Message: reason(f.err)}}
	}
	var all diag.List
	for _, f := range l.files {
		all = append(all, f.faults...)
	}
	if all.HasErrors() {
		return nil, all.Sorted() // perhaps only of an imported file
	}
	return f.doc, all.Sorted()
}

// IsSchema reports whether a text is meant as a schema, with or without faults: a line of it begins with the key rpcgen. Other files to which
// an import leads may hold secrets, so their text is never shown.
func IsSchema(text []byte) bool { return versionKey.Match(text) }

var versionKey = regexp.MustCompile(`(?m)(^\x{FEFF}?|^[ \t]*\{)[ \t]*["']?rpcgen["']?[ \t]*:`)

// Source returns the text of a loaded file, for printing diagnostics. It reports false for what is not a schema.
func (l *Loader) Source(name string) ([]byte, bool) {
	f, ok := l.files[name]
	if !ok || f.err != nil || !IsSchema(f.text) {
		return nil, false
	}
	return f.text, true
}

// foreignDocument matches the beginning of what rpcgen import reads.
var foreignDocument = regexp.MustCompile(`(?:^|[\s{,"])(?:openrpc|\$schema|\$defs|inputSchema)"?\s*:`)

func (l *Loader) load(name string) *loadedFile {
	if f, ok := l.files[name]; ok {
		return f
	}
	if l.files == nil {
		l.files = map[string]*loadedFile{}
	}
	f := &loadedFile{}
	l.files[name] = f
	if f.text, f.err = l.read(name); f.err != nil {
		return f
	}
	if !IsSchema(f.text) {
		help := "begin with rpcgen: v1"
		if foreignDocument.Match(f.text[:min(len(f.text), 4<<10)]) {
			help += "; rpcgen import " + path.Base(name) + " makes a schema of JSON Schema, OpenRPC or the tools of a server"
		}
		f.faults = diag.List{{Code: diag.MissingVersion, Span: diag.Span{Pos: diag.Pos{File: name, Line: 1, Col: 1}, Len: 1},
			Message: "this is not a schema: it does not say its language version", Help: help}}
		return f
	}
	root, faults := syntax.Parse(name, f.text)
	f.faults = faults
	if root == nil {
		return f
	}
	l.loading = append(l.loading, name)
	f.doc, faults = check.Document(name, root, importer{l, name})
	l.loading = l.loading[:len(l.loading)-1]
	f.faults = append(f.faults, faults...)
	return f
}

func (l *Loader) read(name string) ([]byte, error) {
	if file, ok := strings.CutPrefix(name, builtin); ok {
		return l.readModule(file)
	}
	if l.Read != nil {
		return l.Read(name)
	}
	return file.Read(filepath.FromSlash(name))
}

// importer loads what one file imports.
type importer struct {
	loader *Loader
	from   string
}

// Import implements check.Importer. Paths are relative to the importing file.
func (i importer) Import(name string) (*ir.Document, string, error) {
	if path.IsAbs(name) || strings.Contains(name, `\`) || filepath.IsAbs(name) {
		return nil, "", fmt.Errorf("%q must be a path relative to this file, with forward slashes", name)
	}
	name = path.Join(path.Dir(i.from), name)
	if at := slices.Index(i.loader.loading, name); at >= 0 {
		cycle := append(slices.Clone(i.loader.loading[at:]), name)
		return nil, "", &check.Cycle{Files: strings.Join(cycle, " -> ")}
	}
	f := i.loader.load(name)
	if f.err != nil {
		return nil, "", fmt.Errorf("cannot read %q: %s", name, reason(f.err))
	}
	if f.doc == nil {
		return nil, "", nil
	}
	return f.doc, i.loader.goPath(name), nil
}

// reason is the cause of a read error without the path, which the diagnostic has already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// goPath is the import path of the package in the folder of a schema: the module path of the nearest go.mod above it, and the
// directories between the two. It is empty where there is no module.
func (l *Loader) goPath(name string) string {
	dir := path.Dir(name)
	below := ""
	for range 100 {
		if text, err := l.read(path.Join(dir, "go.mod")); err == nil {
			return path.Join(modulePath(text), below)
		}
		base := path.Base(dir)
		if base == "." || base == ".." || base == "/" {
			return l.aboveHere(dir, below)
		}
		below = path.Join(base, below)
		dir = path.Dir(dir)
	}
	return ""
}

// aboveHere goes on where a relative path ends, with the names that the directories really have.
func (l *Loader) aboveHere(dir, below string) string {
	if l.Read != nil || path.IsAbs(dir) {
		return ""
	}
	full, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		return ""
	}
	return l.goPath(path.Join(filepath.ToSlash(full), below, "schema"))
}

// modulePath reads the module line of a go.mod.
func modulePath(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), "\"`")
		}
	}
	return ""
}
