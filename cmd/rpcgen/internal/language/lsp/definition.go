package lsp

import (
	"context"
	"path"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// TextDocumentDefinition implements [lsp.Server].
func (s *server) TextDocumentDefinition(ctx context.Context, p lsp.TextDocumentPositionParams) (none runtime.Nullable[lsp.Location], err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return none, err
	}
	v := s.documents.view()
	in, at := v.declaration(d, d.cursor(d.place(s.units(), p.Position)))
	switch {
	case ctx.Err() != nil:
		return none, ctx.Err()
	case in == nil:
		return none, nil
	}
	return runtime.NotNull(lsp.Location{URI: in.uri, Range: in.extent(s.units(), at)}), nil
}

// declaration is where the thing is declared that c names; a nil document is nowhere.
func (v *view) declaration(d *document, c cursor) (in *document, at diag.Span) {
	section, name := "types", c.word
	switch names := c.names(); {
	case c.namesDeclaration() && names == nothing:
		section = c.path[0].key
	case names == errorNames:
		section = "errors"
	case names == nothing:
		return nil, at
	default:
		if alias, inner, qualified := strings.Cut(name, "."); qualified {
			d, name = v.imports(d)[alias], inner
		}
	}
	if d == nil {
		return nil, at
	}
	if key := d.tree().Get(section).Key(name); key != nil {
		return d, key.Span
	}
	return nil, at
}

// tree is the root of a document; an empty mapping when its text is not YAML.
func (d *document) tree() tree {
	root, _ := syntax.Parse(d.name, []byte(d.text))
	return tree{root}
}

// tree is a node that may be nil.
type tree struct{ *syntax.Node }

// Get returns the value of a key, if there is one.
func (t tree) Get(key string) tree {
	if t.Node == nil {
		return t
	}
	return tree{t.Node.Get(key)}
}

// Key returns a key of a mapping, or nil.
func (t tree) Key(name string) *syntax.Node {
	if t.Node == nil {
		return nil
	}
	if e := t.Entry(name); e != nil {
		return e.Key
	}
	return nil
}

// imports are the schemas that a document imports, by alias. Those that cannot be read are left out.
func (v *view) imports(d *document) map[string]*document {
	found := map[string]*document{}
	files := d.tree().Get("import")
	if files.Node == nil {
		return found
	}
	for _, e := range files.Entries {
		if e.Value.Kind != syntax.Scalar || e.Value.Text == "" || path.IsAbs(e.Value.Text) {
			continue
		}
		if in := v.file(path.Join(path.Dir(d.name), e.Value.Text)); in != nil {
			found[e.Key.Text] = in
		}
	}
	return found
}

// file returns a schema that is open, or that the file system has; nil for anything else.
func (v *view) file(name string) *document {
	if d, ok := v.open[name]; ok {
		return d
	}
	text, err := v.text(name)
	if err != nil || !schema.IsSchema(text) {
		return nil
	}
	return newDocument(uriOf(name), 0, string(text))
}
