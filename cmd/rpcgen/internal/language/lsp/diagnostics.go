package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// check asks for the documents to be checked. Changes that come before that happens are checked at once.
func (s *server) check() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// checkChanges publishes the faults of all schemas after each change, until ctx ends.
func (s *server) checkChanges(ctx context.Context, client *lsp.CallbackClient) {
	shown := map[string]bool{} // files for which faults are published
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			s.publish(ctx, client, shown)
		}
	}
}

// publish checks the open documents and what they import. What is published for a file stands until something else is: so those with
// faults before are published again.
func (s *server) publish(ctx context.Context, client *lsp.CallbackClient, shown map[string]bool) {
	v := s.documents.view()
	faults := v.faults()
	names := maps.Clone(shown)
	for name := range v.open {
		names[name] = true
	}
	for name := range faults {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p := lsp.TextDocumentPublishDiagnosticsParams{URI: uriOf(name), Diagnostics: v.diagnostics(s.units(), faults[name])}
		if d, ok := v.open[name]; ok {
			p.URI, p.Version = d.uri, runtime.Some(d.version)
		}
		if client.TextDocumentPublishDiagnostics(ctx, p) != nil {
			return // the connection has ended
		}
		delete(shown, name)
		if len(p.Diagnostics) > 0 {
			shown[name] = true
		}
	}
}

// faults are those of the open documents and of what they import, by file.
func (v *view) faults() map[string]diag.List {
	var all, unlike diag.List
	for _, name := range slices.Sorted(maps.Keys(v.open)) {
		if d := v.open[name]; !strings.HasSuffix(d.name, ".rpc.yaml") && !schema.IsSchema([]byte(d.text)) { // a client may open any YAML
			continue
		}
		var doc *ir.Document
		if doc, all = v.Load(name); doc != nil { // all are those of the files before as well
			unlike = append(unlike, listed.Check(doc, v.text, v.list)...)
		}
	}
	faults := map[string]diag.List{}
	for _, d := range slices.Concat(all, unlike) {
		if !strings.HasPrefix(d.Span.File, "rpcgen:") {
			faults[d.Span.File] = append(faults[d.Span.File], d)
		}
	}
	return faults
}

// diagnostics are the faults of one file. They are never nil: an empty list takes back what was published before.
func (v *view) diagnostics(e encoding, faults diag.List) []lsp.Diagnostic {
	shown := []lsp.Diagnostic{}
	for _, f := range faults {
		d := lsp.Diagnostic{Range: v.location(e, f.Span).Range, Severity: lsp.DiagnosticSeverityError, Code: string(f.Code), Source: "rpcgen",
			Message: text.Terminal(f.Message)}
		if f.Severity == diag.Warning {
			d.Severity = lsp.DiagnosticSeverityWarning
		}
		if f.Help != "" {
			d.Message += "\n" + text.Terminal(f.Help)
		}
		for _, r := range f.Related {
			d.RelatedInformation = append(d.RelatedInformation, lsp.DiagnosticRelatedInformation{Location: v.location(e, r.Span), Message: text.Terminal(r.Message)})
		}
		shown = append(shown, d)
	}
	return shown
}

// location is where a span is. Of a file that is not a schema no text is known: it is the whole line.
func (v *view) location(e encoding, s diag.Span) lsp.Location {
	if d := v.document(s.File); d != nil {
		return lsp.Location{URI: d.uri, Range: d.extent(e, s)}
	}
	line := uint32(max(s.Line-1, 0))
	return lsp.Location{URI: uriOf(s.File), Range: lsp.Range{Start: lsp.Position{Line: line}, End: lsp.Position{Line: line + 1}}}
}
