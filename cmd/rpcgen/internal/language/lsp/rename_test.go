package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
)

// rename renames what ^ stands on, and returns the text of each document that changes.
func (e *editor) rename(uri, text, to string, others map[string]string) (map[string]string, error) {
	e.t.Helper()
	p := e.at(uri, text)
	got, err := e.TextDocumentRename(e.ctx, lsp.TextDocumentRenameParams{TextDocument: p.TextDocument, Position: p.Position, NewName: to})
	if err != nil {
		return nil, err
	}
	edit, _ := got.Get()
	texts := map[string]string{}
	for changed, edits := range edit.Changes {
		before := others[changed]
		if changed == uri {
			before, _ = marked(text)
		}
		texts[changed] = apply(newDocument(changed, 0, before), edits)
	}
	return texts, nil
}

// apply makes edits of one line each, counted in UTF-16.
func apply(d *document, edits []lsp.TextEdit) string {
	slices.SortFunc(edits, func(a, b lsp.TextEdit) int { return int(b.Range.Start.Character) - int(a.Range.Start.Character) })
	all := slices.Clone(d.lines)
	for _, edit := range edits {
		line, from := d.place(utf16Units, edit.Range.Start)
		_, to := d.place(utf16Units, edit.Range.End)
		all[line] = all[line][:from] + edit.NewText + all[line][to:]
	}
	return strings.Join(all, "")
}

// TestRename renames a type everywhere in its file.
func TestRename(t *testing.T) {
	e := initialized(t, Options{read: files(nil)})
	const text = `rpcgen: v1
go: {rename: {Report.wind: Breeze, Reports: All}}
lint: {ignore: [{rule: UnboundedString, at: types.Report.wind, reason: Report}]}
types:
  "Report": {fields: {𝄞: string, wind?: list<Report | null>, text: {type: string, default: Report}}}
  Reports: {list: {$ref: '#/types/Report'}}
  Other: {extends: [Report], description: A Report.}
methods:
  Report/get: {params: {Report: Report}, result: map<Report>}
`
	want := strings.NewReplacer("Report.wind: B", "R.wind: B", "types.Report.wind", "types.R.wind", `"Report"`, `"R"`, "list<Report |", "list<R |",
		"'#/types/Report'", "'#/types/R'", "[Report]", "[R]", "Report: Report}", "Report: R}", "map<Report>", "map<R>").Replace(text)
	got, err := e.rename(uri, strings.Replace(text, "[Report]", "[Rep^ort]", 1), "R", nil)
	if err != nil || got[uri] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got[uri], want)
	}
	for _, to := range []string{"1", "a.b", "", "string", "list", "Other"} {
		if _, err := e.rename(uri, strings.Replace(text, "[Report]", "[Rep^ort]", 1), to, nil); code(err) != lsp.CodeRequestFailed {
			t.Errorf("to %q: %v", to, err)
		}
	}
	if _, err := e.rename(uri, "rpcgen: v1\ntypes: {A: string, B: A^\n", "C", nil); code(err) != lsp.CodeRequestFailed || !strings.Contains(err.Error(), "not YAML") {
		t.Errorf("a text that is not YAML: %v", err)
	}
	if _, err := e.rename(uri, "rpcgen: v1\ntypes: {A: str^ing}\n", "B", nil); code(err) != lsp.CodeRequestFailed {
		t.Errorf("a built-in type: %v", err)
	}
	if _, err := e.rename(uri, "rpcgen: v1\ntypes:\n  A^: string\n  B: >\n    list<\n    A>\n", "C", nil); code(err) != lsp.CodeRequestFailed {
		t.Errorf("a name in a folded text: %v", err)
	}
	prepared, err := e.TextDocumentPrepareRename(e.ctx, e.at(uri, "rpcgen: v1\ntypes: {A: B, B^: string}\n"))
	if at, ok := prepared.Get(); err != nil || !ok || at.Start.Character != 14 || at.End.Character != 15 {
		t.Errorf("prepared %+v, %v", at, err)
	}
	prepared, err = e.TextDocumentPrepareRename(e.ctx, e.at(uri, "rpcgen: v1\ntitle: A^\n"))
	if _, ok := prepared.Get(); err != nil || ok {
		t.Errorf("prepared a title: %v", err)
	}
}

// TestRenameImported renames a type from a file that imports it, and in a file that is not open.
func TestRenameImported(t *testing.T) {
	folder := t.TempDir()
	texts := map[string]string{
		"part.rpc.yaml":          "rpcgen: v1\ntypes: {A: string, B: A}\n",
		"sub/user.rpc.yaml":      "rpcgen: v1\nimport: {p: ../part.rpc.yaml}\ntypes: {A: p.A, C: p.B}\n",
		"other.rpc.yaml":         "rpcgen: v1\ntypes: {A: string}\n",
		".hidden/other.rpc.yaml": "rpcgen: v1\nimport: {p: ../part.rpc.yaml}\ntypes: {D: p.A}\n",
	}
	byURI := map[string]string{}
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		byURI[uriOf(filepath.ToSlash(path))] = text
	}
	root := uriOf(filepath.ToSlash(folder))
	e := connect(t, Options{})
	if _, err := e.Initialize(e.ctx, lsp.InitializeParams{WorkspaceFolders: []lsp.WorkspaceFolder{{URI: root}}}); err != nil {
		t.Fatal(err)
	}
	got, err := e.rename(root+"/main.rpc.yaml", "rpcgen: v1\nimport: {q: part.rpc.yaml}\ntypes: {A: q.^A}\n", "Z", byURI)
	want := map[string]string{
		root + "/main.rpc.yaml":     "rpcgen: v1\nimport: {q: part.rpc.yaml}\ntypes: {A: q.Z}\n",
		root + "/part.rpc.yaml":     "rpcgen: v1\ntypes: {Z: string, B: Z}\n",
		root + "/sub/user.rpc.yaml": "rpcgen: v1\nimport: {p: ../part.rpc.yaml}\ntypes: {A: p.Z, C: p.B}\n",
	}
	if err != nil || len(got) != len(want) {
		t.Errorf("%v, %v", got, err)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %q, want %q", name, got[name], text)
		}
	}
}
