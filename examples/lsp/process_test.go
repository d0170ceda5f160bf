package main

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// callbacks keeps what the server publishes.
type callbacks chan lsp.TextDocumentPublishDiagnosticsParams

// TextDocumentPublishDiagnostics implements [lsp.Callbacks].
func (c callbacks) TextDocumentPublishDiagnostics(_ context.Context, p lsp.TextDocumentPublishDiagnosticsParams) error {
	c <- p
	return nil
}

// start starts the server as an editor does.
func start(ctx context.Context, t *testing.T, published callbacks) (*stdio.Process, *lsp.Client) {
	t.Helper()
	process, err := stdio.Command(ctx, exec.Command("go", "run", "."), lsp.NewCallbackHandler(published), stdio.WithFraming(frame.Headers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	client := lsp.NewClient(process)
	if _, err := client.Initialize(ctx, lsp.InitializeParams{}); err != nil {
		t.Fatalf("%v\n%s", err, process.Stderr())
	}
	return process, client
}

// TestProcess opens a schema with a fault, over the standard input and output of a process.
func TestProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	published := make(callbacks, 10)
	process, client := start(ctx, t, published)
	item := lsp.TextDocumentItem{URI: "file:///main.rpc.yaml", LanguageID: "yaml", Text: "rpcgen: v1\ntypes: {A: strin}\n"}
	if err := client.TextDocumentDidOpen(ctx, lsp.TextDocumentDidOpenParams{TextDocument: item}); err != nil {
		t.Fatal(err)
	}
	select {
	case p := <-published:
		if len(p.Diagnostics) != 1 || p.Diagnostics[0].Code != "UnknownType" {
			t.Errorf("published %+v", p)
		}
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
	if _, err := client.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := client.Exit(ctx); err != nil {
		t.Fatal(err)
	}
	<-process.Exited()
	if err := process.Close(); err != nil {
		t.Errorf("after shutdown: %v", err)
	}
}

// TestProcessNotShutDown expects the exit code 1 of a server that was not shut down.
func TestProcessNotShutDown(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	process, client := start(ctx, t, make(callbacks, 10))
	if err := client.Exit(ctx); err != nil {
		t.Fatal(err)
	}
	<-process.Exited()
	if err := process.Close(); err == nil {
		t.Error("the exit code is 0")
	}
}
