package lsp

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
)

// server answers one client.
type server struct {
	lsp.UnimplementedServer
	version   string
	down      atomic.Bool  // shutdown was called
	encoding  atomic.Int32 // an encoding
	documents documents
	changed   chan struct{} // holds a token while documents have changed since they were last checked
}

// Initialize implements [lsp.Server].
func (s *server) Initialize(_ context.Context, p lsp.InitializeParams) (result lsp.InitializeResult, err error) {
	if general := p.Capabilities.General; general != nil && slices.Contains(general.PositionEncodings, lsp.PositionEncodingKindUtf8) {
		s.encoding.Store(int32(utf8Units))
	}
	s.documents.root(p)
	result.Capabilities = lsp.ServerCapabilities{
		PositionEncoding:           s.units().kind(),
		TextDocumentSync:           lsp.TextDocumentSyncOptions{OpenClose: true, Change: 1},
		DocumentFormattingProvider: runtime.Some(true),
		HoverProvider:              runtime.Some(true),
		CompletionProvider:         &lsp.CompletionOptions{TriggerCharacters: []string{".", "<", " "}},
		DefinitionProvider:         runtime.Some(true),
		RenameProvider:             &lsp.RenameOptions{PrepareProvider: true},
	}
	result.ServerInfo = lsp.ServerInfo{Name: "rpcgen", Version: s.version}
	return result, nil
}

// units is the encoding that initialize has chosen.
func (s *server) units() encoding { return encoding(s.encoding.Load()) }

// Initialized implements [lsp.Server].
func (s *server) Initialized(context.Context) error { return nil }

// Shutdown implements [lsp.Server].
func (s *server) Shutdown(context.Context) (none struct{}, err error) {
	s.down.Store(true)
	return none, nil
}

// Exit implements [lsp.Server]. The session ends afterwards.
func (s *server) Exit(context.Context) error { return nil }

// TextDocumentDidOpen implements [lsp.Server].
func (s *server) TextDocumentDidOpen(_ context.Context, p lsp.TextDocumentDidOpenParams) error {
	s.documents.put(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text)
	s.check()
	return nil
}

// TextDocumentDidChange implements [lsp.Server]. Each change is the whole text, so that the last one counts.
func (s *server) TextDocumentDidChange(_ context.Context, p lsp.TextDocumentDidChangeParams) error {
	if n := len(p.ContentChanges); n > 0 {
		s.documents.put(p.TextDocument.URI, p.TextDocument.Version, p.ContentChanges[n-1].Text)
		s.check()
	}
	return nil
}

// TextDocumentDidClose implements [lsp.Server].
func (s *server) TextDocumentDidClose(_ context.Context, p lsp.TextDocumentDidCloseParams) error {
	s.documents.drop(p.TextDocument.URI)
	s.check()
	return nil
}

// document returns an open document, or the error to answer with.
func (s *server) document(uri string) (*document, error) {
	if d := s.documents.get(uri); d != nil {
		return d, nil
	}
	return nil, &lsp.RequestFailedError{Reason: uri + " is not open"}
}
