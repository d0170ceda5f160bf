package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// TextDocumentCompletion implements [lsp.Server].
func (s *server) TextDocumentCompletion(ctx context.Context, p lsp.TextDocumentPositionParams) (result lsp.CompletionList, err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return result, err
	}
	c := d.cursor(d.place(s.units(), p.Position))
	l := completions{at: d.wordRange(s.units(), c), items: []lsp.CompletionItem{}}
	if c.key {
		l.keys(d, c)
	}
	if c.value {
		l.values(s.documents.view(), d, c)
	}
	return lsp.CompletionList{Items: l.items}, ctx.Err()
}

// completions are what may be written instead of a word.
type completions struct {
	at    lsp.Range
	items []lsp.CompletionItem
}

func (l *completions) add(kind lsp.CompletionItemKind, label, text string, doc *lsp.MarkupContent) {
	l.items = append(l.items, lsp.CompletionItem{Label: label, Kind: kind, Documentation: doc, TextEdit: lsp.TextEdit{Range: l.at, NewText: text}})
}

// keys adds the keys that a mapping may have and does not have yet. Those of elements are not told apart, so that each may come twice.
func (l *completions) keys(d *document, c cursor) {
	var there []string
	if !slices.ContainsFunc(c.path, func(s step) bool { return s.item }) {
		there = d.keys(c.path...)
	}
	colon := strings.HasPrefix(strings.TrimLeft(d.line(c.line)[c.to:], "?\"'"), ":")
	for _, k := range c.place().Keys {
		text := k.Name
		switch {
		case slices.Contains(there, k.Name) && k.Name != c.word:
			continue
		case colon:
		case len(k.Value.Scalars) > 0:
			text += ": "
		default:
			text += ":"
		}
		doc := keyDoc(&k)
		l.add(lsp.CompletionItemKindProperty, k.Name, text, &doc)
	}
}

// values adds the words, the types or the errors that may be a value, or a part of it.
func (l *completions) values(v *view, d *document, c cursor) {
	p := c.place()
	words := p.Words
	if p.Takes(grammar.Boolean) {
		words = append(slices.Clone(words), "true", "false")
	}
	for _, w := range words {
		l.add(lsp.CompletionItemKindValue, w, w, nil)
	}
	var names []string
	switch c.names() {
	case typeNames:
		names = append(slices.Concat(grammar.Builtins, []string{"list", "map", "null"}, d.keys(step{key: "types"})), v.importedTypes(d)...)
	case errorNames:
		names = d.keys(step{key: "errors"})
	case nothing:
	}
	for _, name := range names {
		l.add(lsp.CompletionItemKindClass, name, name, nil)
	}
}

// importedTypes lists the types of imported files, as alias.Type.
func (v *view) importedTypes(d *document) (names []string) {
	files := v.imports(d)
	for _, alias := range slices.Sorted(maps.Keys(files)) {
		for _, name := range files[alias].keys(step{key: "types"}) {
			names = append(names, alias+"."+name)
		}
	}
	return names
}
