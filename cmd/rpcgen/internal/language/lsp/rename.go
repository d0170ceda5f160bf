package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// mostFiles is how many files and folders are looked at for schemas that import one.
const mostFiles = 100_000

// TextDocumentPrepareRename implements [lsp.Server].
func (s *server) TextDocumentPrepareRename(ctx context.Context, p lsp.TextDocumentPositionParams) (none runtime.Nullable[lsp.Range], err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return none, err
	}
	c := d.cursor(d.place(s.units(), p.Position))
	in, _ := s.documents.view().declaration(d, c)
	if in == nil || !c.namesType() || ctx.Err() != nil {
		return none, ctx.Err()
	}
	c.from += strings.LastIndexByte(c.word, '.') + 1 // alias.
	return runtime.NotNull(d.wordRange(s.units(), c)), nil
}

// namesType reports whether c is on the name of a type, where it is declared or where it is used.
func (c cursor) namesType() bool {
	return c.names() == typeNames || c.key && len(c.path) == 1 && c.path[0].key == "types"
}

// TextDocumentRename implements [lsp.Server]. It renames types.
func (s *server) TextDocumentRename(ctx context.Context, p lsp.TextDocumentRenameParams) (none runtime.Nullable[lsp.WorkspaceEdit], err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return none, err
	}
	v := s.documents.view()
	c := d.cursor(d.place(s.units(), p.Position))
	in, _ := v.declaration(d, c)
	switch {
	case d.tree().Node == nil:
		return none, &lsp.RequestFailedError{Reason: "the text is not YAML now: correct it first"}
	case in == nil || !c.namesType():
		return none, &lsp.RequestFailedError{Reason: "no type that is declared is named here"}
	}
	r := &renaming{view: v, units: s.units(), in: in, from: c.word[strings.LastIndexByte(c.word, '.')+1:], to: p.NewName, changes: map[string][]lsp.TextEdit{}}
	if err = r.run(ctx); ctx.Err() != nil {
		return none, ctx.Err()
	}
	if err != nil {
		return none, &lsp.RequestFailedError{Reason: err.Error()}
	}
	return runtime.NotNull(lsp.WorkspaceEdit{Changes: r.changes}), nil
}

// renaming collects the edits that give a type another name.
type renaming struct {
	*view
	units    encoding
	in       *document // that declares it
	from, to string
	changes  map[string][]lsp.TextEdit
}

var typeName = text.Pattern(`^[A-Za-z][A-Za-z0-9_]*$`)

// run renames the declaration and all uses, or says why that cannot be done.
func (r *renaming) run(ctx context.Context) error {
	root := r.in.tree()
	switch {
	case !typeName().MatchString(r.to):
		return fmt.Errorf("%q cannot name a type: use letters, digits and _, beginning with a letter", r.to)
	case slices.Contains(grammar.Builtins, r.to) || slices.Contains([]string{"list", "map", "null"}, r.to):
		return fmt.Errorf("%q is a built-in type", r.to)
	case r.to != r.from && root.Get("types").Key(r.to) != nil:
		return fmt.Errorf("a type %q is declared already", r.to)
	}
	own := &references{name: r.from, found: []diag.Span{root.Get("types").Key(r.from).Within(0, len(r.from))}}
	own.value(root.Node, grammar.Document())
	own.paths(root)
	if err := r.edit(r.in, own.found); err != nil {
		return err
	}
	return r.importers(ctx)
}

// importers renames the type in the schemas that import the one that declares it: those that are open, and those in the folders that the client has open.
func (r *renaming) importers(ctx context.Context) error {
	names, err := r.schemas(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		d := r.file(name)
		if d == nil || d == r.in || ctx.Err() != nil {
			continue
		}
		if err := r.importer(d); err != nil {
			return err
		}
	}
	return nil
}

func (r *renaming) importer(d *document) error {
	root := d.tree()
	if root.Node == nil && strings.Contains(d.text, "import") {
		return fmt.Errorf("%s may use the type, and is not YAML now: correct it first", d.name)
	}
	for alias, in := range r.imports(d) {
		if in.name != r.in.name {
			continue
		}
		uses := &references{name: alias + "." + r.from}
		uses.value(root.Node, grammar.Document())
		for i := range uses.found {
			uses.found[i].Col += len(alias) + 1
			uses.found[i].Len -= len(alias) + 1
		}
		if err := r.edit(d, uses.found); err != nil {
			return err
		}
	}
	return nil
}

// edit adds the edits of one document. What stands there must be the name: in a text with escapes or several lines its place is not known.
func (r *renaming) edit(d *document, places []diag.Span) error {
	for _, at := range places {
		line, from := d.line(at.Line-1), at.Col-1
		if at.Len != len(r.from) || from < 0 || !strings.HasPrefix(line[min(from, len(line)):], r.from) {
			return fmt.Errorf("%s, line %d: the name stands in a quoted or folded text, where it has to be changed by hand", d.name, at.Line)
		}
		r.changes[d.uri] = append(r.changes[d.uri], lsp.TextEdit{Range: d.extent(r.units, at), NewText: r.to})
	}
	return nil
}

var errTooMany = errors.New("the open folders hold too many files to look for schemas that import this one: open a smaller folder")

// schemas lists the schemas that are open, and those of the folders that the client has open, but for folders such as .git and node_modules.
func (v *view) schemas(ctx context.Context) ([]string, error) {
	found := maps.Clone(v.open)
	seen := 0
	for _, root := range v.roots {
		err := filepath.WalkDir(filepath.FromSlash(root), func(path string, entry fs.DirEntry, err error) error {
			seen++
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case seen > mostFiles:
				return errTooMany
			case err != nil:
				return nil // a folder that cannot be read holds no schemas of its reader
			case entry.IsDir() && path != filepath.FromSlash(root) && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
				return filepath.SkipDir
			case strings.HasSuffix(path, ".rpc.yaml"):
				found[filepath.ToSlash(path)] = nil
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
