package lsp

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// editor is a client of a server in this process. It keeps what is published.
type editor struct {
	*lsp.Client
	*runtime.Session
	t         *testing.T
	ctx       context.Context
	published chan lsp.TextDocumentPublishDiagnosticsParams
	ended     chan error // what Serve returned
}

// TextDocumentPublishDiagnostics implements [lsp.Callbacks].
func (e *editor) TextDocumentPublishDiagnostics(_ context.Context, p lsp.TextDocumentPublishDiagnosticsParams) error {
	e.published <- p
	return nil
}

// connect starts a server, and ends it with the test.
func connect(t *testing.T, o Options) *editor {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	near, far := pipe.New(0)
	o.Logger, o.Imports = slog.New(slog.DiscardHandler), importer.ImportText
	e := &editor{t: t, ctx: ctx, published: make(chan lsp.TextDocumentPublishDiagnosticsParams, 100), ended: make(chan error, 1)}
	go func() { e.ended <- Serve(ctx, far, o) }()
	e.Session = runtime.NewSession(ctx, near, lsp.NewCallbackHandler(e), runtime.Options{Logger: o.Logger})
	e.Client = lsp.NewClient(e.Session)
	t.Cleanup(func() { e.Session.Close(); e.Session.Wait() })
	return e
}

// initialized is connect with an open session.
func initialized(t *testing.T, o Options, encodings ...lsp.PositionEncodingKind) *editor {
	t.Helper()
	e := connect(t, o)
	general := &lsp.GeneralClientCapabilities{PositionEncodings: encodings}
	if _, err := e.Initialize(e.ctx, lsp.InitializeParams{Capabilities: lsp.ClientCapabilities{General: general}}); err != nil {
		t.Fatal(err)
	}
	e.must(e.Client.Initialized(e.ctx))
	return e
}

func (e *editor) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// open opens a document, and waits until it was checked.
func (e *editor) open(uri, text string) []lsp.Diagnostic {
	e.t.Helper()
	e.must(e.TextDocumentDidOpen(e.ctx, lsp.TextDocumentDidOpenParams{TextDocument: lsp.TextDocumentItem{URI: uri, LanguageID: "yaml", Version: 1, Text: text}}))
	return e.faults(uri, 1)
}

// change writes a document anew, and waits until it was checked.
func (e *editor) change(uri string, version int32, text string) []lsp.Diagnostic {
	e.t.Helper()
	e.must(e.TextDocumentDidChange(e.ctx, lsp.TextDocumentDidChangeParams{
		TextDocument:   lsp.VersionedTextDocumentIdentifier{URI: uri, Version: version},
		ContentChanges: []lsp.TextDocumentContentChangeEvent{{Text: text}}}))
	return e.faults(uri, version)
}

// faults waits for the faults of one version of a document; 0 is a file that is not open.
func (e *editor) faults(uri string, version int32) []lsp.Diagnostic {
	e.t.Helper()
	for {
		select {
		case p := <-e.published:
			if p.URI == uri && p.Version.Or(0) == version {
				return p.Diagnostics
			}
		case <-e.ctx.Done():
			e.t.Fatalf("no diagnostics of %s, version %d", uri, version)
		}
	}
}

// code is the code of the error that a server answered with; 0 for anything else.
func code(err error) int64 {
	if peer, ok := errors.AsType[*runtime.Error](err); ok {
		return peer.Code
	}
	if declared, ok := errors.AsType[runtime.Coder](err); ok {
		return declared.RPCError().Code
	}
	return 0
}
