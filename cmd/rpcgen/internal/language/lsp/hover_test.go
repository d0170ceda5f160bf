package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
)

// marked splits a text at ^, and returns the place of that.
func marked(text string) (unmarked string, at lsp.Position) {
	before, after, _ := strings.Cut(text, "^")
	return before + after, lsp.Position{Line: uint32(strings.Count(before, "\n")), Character: utf16Units.units(before[strings.LastIndex(before, "\n")+1:])}
}

// at opens a document, and returns the place that ^ stands for in its text.
func (e *editor) at(uri, text string) lsp.TextDocumentPositionParams {
	e.t.Helper()
	text, at := marked(text)
	e.open(uri, text)
	return lsp.TextDocumentPositionParams{TextDocument: lsp.TextDocumentIdentifier{URI: uri}, Position: at}
}

// TestHover shows keys and declarations.
func TestHover(t *testing.T) {
	e := initialized(t, Options{})
	for _, test := range []struct{ text, want string }{
		{"rpcgen: v1\npack^age: a\n", "The name of the Go package"},
		{"rpcgen: v1\nmethods: {a/b: {from^: client}}\n", "One of: client, server, both."},
		{"rpcgen: v1\nmethods: {a/b: {fr^om: ", "Which side calls it"}, // no YAML
		{"rpcgen: v1\ntypes:\n  A: {fields: {𝄞: B^}}\n  B: {type: string, maxLength: 3}\n", "type B"},
		{"rpcgen: v1\ntypes: {A^: string}\n", "type A"},
		{"rpcgen: v1\nuse: [mcp]\nserver: {name: s, version: v}\ntypes: {A: mcp.Tool^}\n", "type Tool"},
		{"rpcgen: v1\nmethods: {a/^b: {params: {x: string}}}\n", "method a/b"},
		{"rpcgen: v1\nmethods: {a/b: {errors: [Bu^sy]}}\nerrors: {Busy: {code: 1, message: a}}\n", "error Busy"},
		{"rpcgen: v1\ntitle: pack^age\n", ""},
		{"rpcgen: v1\ntypes: {A: {fields: {title^: string}}}\n", ""}, // the name of a field
		{"rpcgen: v1\ntypes: {A: B^}\n", ""},
		{"rpcgen: v1\n# package^: a\n", ""},
	} {
		hover, err := e.TextDocumentHover(e.ctx, e.at(uri, test.text))
		shown, ok := hover.Get()
		if err != nil || ok != (test.want != "") || !strings.Contains(shown.Contents.Value, test.want) {
			t.Errorf("%q: %+v, %v", test.text, shown, err)
		}
	}
}

// TestCancel cancels a request that waits for a file.
func TestCancel(t *testing.T) {
	entered, release := make(chan struct{}, 10), make(chan struct{})
	e := initialized(t, Options{read: func(path string) ([]byte, error) {
		if filepath.Base(path) != "slow.rpc.yaml" {
			return nil, os.ErrNotExist
		}
		entered <- struct{}{}
		<-release
		return []byte("rpcgen: v1\ntypes: {B: string}\n"), nil
	}})
	text, at := marked("rpcgen: v1\nimport: {slow: slow.rpc.yaml}\ntypes: {A: slow.B^}\n")
	e.must(e.TextDocumentDidOpen(e.ctx, lsp.TextDocumentDidOpenParams{TextDocument: lsp.TextDocumentItem{URI: uri, Text: text}}))
	<-entered // the check of the document
	ctx, cancel := context.WithTimeout(e.ctx, 20*time.Second)
	defer cancel()
	answered := make(chan []byte, 1)
	go func() {
		request := `{"jsonrpc":"2.0","id":900,"method":"textDocument/hover","params":{"textDocument":{"uri":"` + uri + `"},"position":{"line":2,"character":` +
			string(rune('0'+at.Character/10)) + string(rune('0'+at.Character%10)) + `}}}`
		answer, _ := e.Call(ctx, 900, []byte(request))
		answered <- answer
	}()
	<-entered // the request
	e.must(e.Notify(ctx, []byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":900}}`)))
	if _, err := e.Initialize(ctx, lsp.InitializeParams{}); code(err) != -32600 { // read after the notification
		t.Error(err)
	}
	close(release)
	if answer := string(<-answered); !strings.Contains(answer, `"code":-32800`) {
		t.Errorf("the answer is %s", answer)
	}
}
