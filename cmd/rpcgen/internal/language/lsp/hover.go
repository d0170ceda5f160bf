package lsp

import (
	"context"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TextDocumentHover implements [lsp.Server].
func (s *server) TextDocumentHover(ctx context.Context, p lsp.TextDocumentPositionParams) (none runtime.Nullable[lsp.Hover], err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return none, err
	}
	c := d.cursor(d.place(s.units(), p.Position))
	shown, ok := keyHover(c)
	if !ok {
		shown, ok = s.documents.view().declarationHover(d, c)
	}
	switch {
	case ctx.Err() != nil:
		return none, ctx.Err()
	case !ok:
		return none, nil
	}
	at := d.wordRange(s.units(), c)
	return runtime.NotNull(lsp.Hover{Contents: shown, Range: &at}), nil
}

// wordRange is where the word of a cursor stands.
func (d *document) wordRange(e encoding, c cursor) lsp.Range {
	return lsp.Range{Start: d.position(e, c.line, c.from), End: d.position(e, c.line, c.to)}
}

// keyHover is what the grammar says of a key.
func keyHover(c cursor) (shown lsp.MarkupContent, ok bool) {
	if k := c.place().Key(c.word); c.key && k != nil {
		return keyDoc(k), true
	}
	return shown, false
}

// keyDoc is the documentation of a key.
func keyDoc(k *grammar.Key) lsp.MarkupContent {
	doc := k.Doc
	if len(k.Value.Words) > 0 {
		doc += "\n\nOne of: " + strings.Join(k.Value.Words, ", ") + "."
	}
	return lsp.MarkupContent{Kind: lsp.MarkupKindPlaintext, Value: doc}
}

// declarationHover is the resolved form of what a cursor names, as rpcgen explain prints it. A schema with faults has none.
func (v *view) declarationHover(d *document, c cursor) (shown lsp.MarkupContent, ok bool) {
	if !c.namesDeclaration() {
		return shown, false
	}
	doc, _ := v.Load(d.name)
	name := c.word
	if alias, inner, qualified := strings.Cut(name, "."); doc != nil && qualified && c.names() == typeNames {
		doc, name = importOf(doc, alias), inner
	}
	if doc == nil {
		return shown, false
	}
	explained, _ := docs.Explain(doc, name)
	if explained == nil {
		return shown, false
	}
	return lsp.MarkupContent{Kind: lsp.MarkupKindMarkdown, Value: codeBlock(string(explained))}, true
}

// importOf is the document that is imported as alias, or nil.
func importOf(doc *ir.Document, alias string) *ir.Document {
	if i := ir.First(doc.Imports, func(i *ir.Import) bool { return i.Alias == alias }); i != nil {
		return i.Doc
	}
	return nil
}

// codeBlock is a text as a block of code in Markdown, between more backticks than it holds in a row.
func codeBlock(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(code, "\n") + "\n" + fence
}
