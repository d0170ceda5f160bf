package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
)

// TextDocumentFormatting implements [lsp.Server].
func (s *server) TextDocumentFormatting(ctx context.Context, p lsp.TextDocumentFormattingParams) (none runtime.Nullable[[]lsp.TextEdit], err error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return none, err
	}
	canonical, faults := format.Source(d.name, []byte(d.text))
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	for _, f := range faults.Errors() {
		return none, &lsp.RequestFailedError{Reason: fmt.Sprintf("line %d: %s", f.Span.Line, f.Message)}
	}
	return runtime.NotNull(d.replace(s.units(), string(canonical))), nil
}

// replace is the edit that makes a document another text, without the lines that both begin and end with. It is empty when they are
// the same, and never nil.
func (d *document) replace(e encoding, text string) []lsp.TextEdit {
	was, is := d.lines, strings.SplitAfter(text, "\n")
	first := 0
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	if first == len(was) && first == len(is) {
		return []lsp.TextEdit{}
	}
	same := 0
	for same < min(len(was), len(is))-first && was[len(was)-1-same] == is[len(is)-1-same] {
		same++
	}
	last := len(was) - same
	edit := lsp.TextEdit{Range: lsp.Range{Start: d.start(e, first), End: d.start(e, last)}, NewText: strings.Join(is[first:len(is)-same], "")}
	return []lsp.TextEdit{edit}
}

// start is where a line begins; after the last one, the end of the text.
func (d *document) start(e encoding, line int) lsp.Position {
	if line < len(d.lines) {
		return lsp.Position{Line: uint32(line)}
	}
	last := len(d.lines) - 1
	return d.position(e, last, len(d.lines[last]))
}
