package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
)

const uri = "file:///schemas/main.rpc.yaml"

// TestLifecycle sends what the protocol forbids in each phase.
func TestLifecycle(t *testing.T) {
	e := connect(t, Options{Version: "v1.2.3"})
	place := lsp.TextDocumentPositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: uri}}
	if _, err := e.TextDocumentHover(e.ctx, place); code(err) != -32002 {
		t.Errorf("before initialize: %v", err)
	}
	if _, err := e.Client.Shutdown(e.ctx); code(err) != -32002 {
		t.Errorf("shutdown before initialize: %v", err)
	}
	e.must(e.TextDocumentDidOpen(e.ctx, lsp.TextDocumentDidOpenParams{TextDocument: lsp.TextDocumentItem{URI: uri, Text: "rpcgen: v1\n"}}))
	got, err := e.Initialize(e.ctx, lsp.InitializeParams{})
	if err != nil || got.ServerInfo.Version != "v1.2.3" || got.Capabilities.PositionEncoding != lsp.PositionEncodingKindUtf16 {
		t.Fatalf("initialize: %+v, %v", got, err)
	}
	if _, err := e.Initialize(e.ctx, lsp.InitializeParams{}); code(err) != -32600 {
		t.Errorf("a second initialize: %v", err)
	}
	if _, err := e.TextDocumentFormatting(e.ctx, lsp.TextDocumentFormattingParams{TextDocument: place.TextDocument}); code(err) != lsp.CodeRequestFailed {
		t.Errorf("a document that was opened too early: %v", err)
	}
	if _, err := e.Client.Shutdown(e.ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if _, err := e.TextDocumentHover(e.ctx, place); code(err) != -32600 {
		t.Errorf("after shutdown: %v", err)
	}
	e.must(e.Exit(e.ctx))
	if err := <-e.ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestExit ends sessions that were not shut down, and one whose client does not wait for the answer to shutdown.
func TestExit(t *testing.T) {
	e := initialized(t, Options{})
	e.must(e.Exit(e.ctx))
	if err := <-e.ended; !errors.Is(err, ErrNotShutDown) {
		t.Errorf("exit: %v", err)
	}
	e = initialized(t, Options{})
	e.Session.Close()
	if err := <-e.ended; !errors.Is(err, ErrNotShutDown) {
		t.Errorf("the end of the input: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e = initialized(t, Options{})
	go func() { e.Client.Shutdown(ctx); cancel() }()
	<-ctx.Done()
	e.must(e.Exit(e.ctx))
	if err := <-e.ended; err != nil {
		t.Errorf("exit after shutdown: %v", err)
	}
}

// TestDiagnostics writes faults and corrects them.
func TestDiagnostics(t *testing.T) {
	e := initialized(t, Options{})
	faults := e.open(uri, "rpcgen: v1\ntypes:\n  A: {fields: {𝄞: strin}}\n")
	want := lsp.Range{Start: lsp.Position{Line: 2, Character: 19}, End: lsp.Position{Line: 2, Character: 24}}
	if len(faults) != 1 || faults[0].Code != "UnknownType" || faults[0].Severity != lsp.DiagnosticSeverityError || faults[0].Range != want {
		t.Fatalf("faults %+v", faults)
	}
	if faults := e.change(uri, 2, "rpcgen: v1\ntypes:\n  A: string\n"); len(faults) != 0 {
		t.Errorf("after the correction: %+v", faults)
	}
	if faults := e.change(uri, 3, "rpcgen: v1\ntypes:\n\tA: string\n"); len(faults) != 1 || faults[0].Code != "TabIndent" {
		t.Errorf("a tab: %+v", faults)
	}
	if faults := e.open("untitled:Other", "a: {"); len(faults) != 0 {
		t.Errorf("YAML that is not a schema: %+v", faults)
	}
	e.must(e.TextDocumentDidClose(e.ctx, lsp.TextDocumentDidCloseParams{TextDocument: lsp.TextDocumentIdentifier{URI: uri}}))
	if faults := e.faults(uri, 0); len(faults) != 0 {
		t.Errorf("after closing: %+v", faults)
	}
}

// TestListed shows an entry that is published word for word and means something else than the schema.
func TestListed(t *testing.T) {
	folder := t.TempDir()
	list := `{"tools": [{"name": "book", "description": "Books.", "inputSchema": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"], "additionalProperties": false}}]}`
	if err := os.WriteFile(filepath.Join(folder, "listed.json"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	main := uriOf(filepath.ToSlash(filepath.Join(folder, "main.rpc.yaml")))
	text := func(listed, about string) string {
		return "rpcgen: v1\nuse: [mcp]\nserver: {name: office, version: 1.0.0, listed: " + listed + "}\ntools:\n  book: {description: " + about + ", input: {room: string}, content: any}\n"
	}
	e := initialized(t, Options{})
	if faults := e.open(main, text("listed.json", "Books.")); len(faults) != 0 {
		t.Errorf("what means the same: %+v", faults)
	}
	want := lsp.Range{Start: lsp.Position{Line: 4, Character: 2}, End: lsp.Position{Line: 4, Character: 6}}
	faults := e.change(main, 2, text("listed.json", "Books a room."))
	if len(faults) != 1 || faults[0].Code != "ListedDiffers" || faults[0].Range != want {
		t.Errorf("another description: %+v", faults)
	}
	if faults := e.change(main, 3, text("gone.json", "Books.")); len(faults) != 1 || faults[0].Code != "FileUnreadable" {
		t.Errorf("a file that is not there: %+v", faults)
	}
	if faults := e.change(main, 4, text("listed.json", "Books.")); len(faults) != 0 {
		t.Errorf("after the correction: %+v", faults)
	}
	if faults := e.open("untitled:Other.rpc.yaml", text("listed.json", "Books.")); len(faults) != 1 || faults[0].Code != "FileUnreadable" {
		t.Errorf("next to a document that is not a file: %+v", faults)
	}
}

// TestImported shows the faults of a file that is imported, and takes what an editor holds before what the file system does.
func TestImported(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "other.rpc.yaml")
	if err := os.WriteFile(other, []byte("rpcgen: v1\ntypes: {B: strin}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	main, part := uriOf(filepath.ToSlash(filepath.Join(folder, "main.rpc.yaml"))), uriOf(filepath.ToSlash(other))
	e := initialized(t, Options{}, lsp.PositionEncodingKindUtf8)
	e.open(main, "rpcgen: v1\nimport: {o: other.rpc.yaml}\ntypes: {A: o.B}\n")
	if faults := e.faults(part, 0); len(faults) != 1 || faults[0].Code != "UnknownType" {
		t.Errorf("of the file: %+v", faults)
	}
	if faults := e.open(part, "rpcgen: v1\ntypes: {B: string}\n"); len(faults) != 0 {
		t.Errorf("of the document: %+v", faults)
	}
	if faults := e.change(part, 2, "rpcgen: v1\ntypes: {C: string}\n"); len(faults) != 0 {
		t.Errorf("of the changed document: %+v", faults)
	}
}

// TestFormatting replaces the lines that are not canonical, and no others.
func TestFormatting(t *testing.T) {
	e := initialized(t, Options{})
	params := lsp.TextDocumentFormattingParams{TextDocument: lsp.TextDocumentIdentifier{URI: uri}}
	for _, test := range []struct {
		text string
		want []lsp.TextEdit
	}{
		{"rpcgen: v1\npackage: a\n", []lsp.TextEdit{}},
		{"rpcgen: v1\npackage:   a\ntitle: x\n", []lsp.TextEdit{{Range: lines(1, 2), NewText: "package: a\n"}}},
		{"rpcgen: v1\npackage: a", []lsp.TextEdit{{
			Range: lsp.Range{Start: lsp.Position{Line: 1}, End: lsp.Position{Line: 1, Character: 10}}, NewText: "package: a\n"}}},
	} {
		e.open(uri, test.text)
		got, err := e.TextDocumentFormatting(e.ctx, params)
		if edits, _ := got.Get(); err != nil || !reflect.DeepEqual(edits, test.want) {
			t.Errorf("%q: %+v, %v", test.text, edits, err)
		}
	}
	e.open(uri, "rpcgen: v1\ntypes: {\n")
	if _, err := e.TextDocumentFormatting(e.ctx, params); code(err) != lsp.CodeRequestFailed {
		t.Errorf("of a text that is not YAML: %v", err)
	}
}

func lines(from, to uint32) lsp.Range {
	return lsp.Range{Start: lsp.Position{Line: from}, End: lsp.Position{Line: to}}
}

// TestEncodings counts the characters before a fault in each encoding.
func TestEncodings(t *testing.T) {
	for encoding, want := range map[lsp.PositionEncodingKind]uint32{lsp.PositionEncodingKindUtf8: 21, lsp.PositionEncodingKindUtf16: 19, lsp.PositionEncodingKindUtf32: 19} {
		e := initialized(t, Options{}, encoding)
		faults := e.open(uri, "rpcgen: v1\ntypes:\n  A: {fields: {𝄞: strin}}\n")
		if len(faults) != 1 || faults[0].Range.Start.Character != want {
			t.Errorf("%s: %+v", encoding, faults)
		}
	}
}
