// Package playground compiles texts for a page: a schema, or what becomes one by an import, to findings, Go, TypeScript, lists of tools, Markdown and the
// difference from another version. It reads no file and makes no request, so that it also works in a browser; package wasm is that program.
//
//test:sequential
package playground

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// MostText is how many bytes the texts of a [Request] may have in all.
const MostText = 4 << 20

// The parts of an answer that are made only if a request wants them.
const (
	WantGo       = "go"
	WantTypes    = "typescript"
	WantTools    = "tools"
	WantMarkdown = "markdown"
	WantDiff     = "diff"
	WantProject  = "project"
)

// Request is a set of texts to compile.
type Request struct {
	Files  map[string]string `json:"files"`            // by path, with forward slashes; imports of schemas are found here
	Main   string            `json:"main"`             // the file that is compiled
	Before string            `json:"before,omitempty"` // another version of it, to compare with
	Want   []string          `json:"want"`             // parts of the answer, such as [WantGo]; findings are always there
	Take   []string          `json:"take,omitempty"`   // of OpenAPI: patterns of operations, as rpcgen import --take has them; none for all

	// Version is that of rpcgen which a project requires; empty for an unreleased one.
	Version string `json:"-"`
}

// File is a file with its text.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Answer is what a request becomes. What was not asked for, or cannot be made because there are errors, is empty.
type Answer struct {
	Kind     string          `json:"kind"`                 // [KindSchema] or [KindImport]
	Schema   string          `json:"schema,omitempty"`     // the schema that an import made, in YAML
	Report   string          `json:"report,omitempty"`     // of the import
	Findings json.RawMessage `json:"findings"`             // as rpcgen lint --format json prints them
	Go       []File          `json:"go,omitempty"`         // generated files
	Types    []File          `json:"typescript,omitempty"` // generated modules in TypeScript
	Tools    string          `json:"tools,omitempty"`      // the result of tools/list, JSON
	Markdown string          `json:"markdown,omitempty"`   // the reference
	Diff     string          `json:"diff,omitempty"`       // as rpcgen diff prints it
	Project  []File          `json:"project,omitempty"`    // a module that builds
}

// The kinds of texts.
const (
	KindSchema = "schema" // of rpcgen
	KindImport = "import" // anything that rpcgen import reads
)

// Compile answers a request. Faults of its texts are findings of the answer.
func Compile(r Request) Answer {
	c := &compilation{Request: r, answer: Answer{Kind: KindSchema}}
	c.run()
	var all bytes.Buffer
	if err := c.found.Sorted().WriteJSON(&all); err != nil {
		all.WriteString(`{"diagnostics":[],"more":0}`)
	}
	c.answer.Findings = all.Bytes()
	return c.answer
}

// compilation is one request on its way.
type compilation struct {
	Request
	answer Answer
	found  diag.List
}

// fail adds an error about a whole file.
func (c *compilation) fail(file, message, help string) {
	c.found = append(c.found, diag.Diagnostic{Code: diag.FileUnreadable, Span: diag.Span{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Len: 1}, Message: message, Help: help})
}

func (c *compilation) run() {
	size := len(c.Before)
	for _, text := range c.Files {
		size += len(text)
	}
	if size > MostText {
		c.fail(c.Main, fmt.Sprintf("the texts have %d bytes in all, and the playground takes at most %d", size, MostText), "run rpcgen on your machine: it takes more")
		return
	}
	text := c.Files[c.Main]
	if strings.TrimSpace(text) == "" {
		c.fail(c.Main, "there is no text", "write a schema that begins with rpcgen: v1, or paste an OpenAPI, OpenRPC or JSON Schema document, or the answer to tools/list")
		return
	}
	main := c.Main
	if !schema.IsSchema([]byte(text)) {
		c.answer.Kind = KindImport
		imported, ok := c.importDocument(c.Main, text)
		if !ok {
			return
		}
		c.answer.Schema = imported.schema
		c.answer.Report = imported.report
		base, _, _ := strings.Cut(path.Base(c.Main), ".")
		main = cmp.Or(base, "imported") + ".rpc.yaml"
		c.Files = map[string]string{main: imported.schema}
	}
	loader, doc, faults := c.load(main)
	if doc == nil {
		c.found = append(c.found, faults...)
		return
	}
	findings, _ := lint.Run(doc, faults)
	c.found = append(c.found, findings...)
	if differs := listed.Check(doc, c.read, importer.ImportText); len(differs) > 0 {
		c.found = append(c.found, differs...)
		return
	}
	c.make(loader, doc, main)
}

// make makes the parts of the answer that are wanted.
func (c *compilation) make(loader *schema.Loader, doc *ir.Document, main string) {
	wants := func(part string) bool { return slices.Contains(c.Want, part) }
	if !wants(WantGo) && !wants(WantProject) {
		_, faults := templates.NewNames(doc)
		c.found = append(c.found, faults...)
	} else {
		files, faults, err := templates.Generate(doc, templates.Options{})
		c.found = append(c.found, faults...)
		switch {
		case err != nil:
			c.fail(main, err.Error(), "")
		case faults.HasErrors():
		case wants(WantProject):
			c.answer.Project = newProject(doc, c.Files, main, files, c.Version)
		default:
			c.answer.Go = filesOf(files)
		}
	}
	if wants(WantTypes) {
		files, _ := typescript.Generate(doc, typescript.Options{}) // what it cannot name has no name in Go either
		c.answer.Types = filesOf(files)
	}
	if wants(WantTools) {
		c.tools(doc, main)
	}
	if wants(WantMarkdown) {
		c.answer.Markdown = string(docs.Markdown(doc))
	}
	if wants(WantDiff) && strings.TrimSpace(c.Before) != "" {
		c.compare(loader, doc)
	}
}

// read gives the text of a file of the request.
func (c *compilation) read(name string) ([]byte, error) {
	if text, ok := c.Files[name]; ok {
		return []byte(text), nil
	}
	if name == "go.mod" {
		return []byte("module example.com/playground\n"), nil // imported schemas are packages of it
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

func (c *compilation) load(name string) (*schema.Loader, *ir.Document, diag.List) {
	loader := &schema.Loader{Read: c.read}
	doc, faults := loader.Load(name)
	return loader, doc, faults
}

// importResult is the schema that a document became.
type importResult struct{ schema, report string }

// importDocument imports a document. Faults are findings.
func (c *compilation) importDocument(name, text string) (importResult, bool) {
	o := importer.Options{API: importer.APIOptions{Take: c.Take}}
	o.Folder = importer.Folder{Source: path.Base(name), Read: func(name string) (importer.Source, error) {
		text, err := c.read(name)
		return importer.Source{Name: name, Text: text}, err
	}}
	result, err := importer.Import(importer.Source{Name: sourceName(name, text), Text: []byte(text)}, o)
	if err != nil {
		faults, ok := err.(importer.Faults)
		if !ok {
			c.fail(name, err.Error(), "")
		}
		for _, f := range faults {
			c.found = append(c.found, diag.Diagnostic{Code: diag.FileUnreadable, Span: diag.Span{Pos: f.Pos, Len: 1}, Message: f.Message, Path: f.Pointer, Help: f.Help})
		}
		return importResult{}, false
	}
	var report strings.Builder
	if err := result.Report.WriteText(&report); err != nil {
		c.fail(name, err.Error(), "")
		return importResult{}, false
	}
	return importResult{string(result.Text), report.String()}, true
}

// sourceName names a text by what it is, YAML or JSON, since its name may say otherwise.
func sourceName(name, text string) string {
	ext := ".yaml"
	if t := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		ext = ".json"
	}
	return strings.TrimSuffix(name, path.Ext(name)) + ext
}

// tools writes what the server lists.
func (c *compilation) tools(doc *ir.Document, main string) {
	list, err := templates.Listed(doc)
	if err != nil {
		c.fail(main, err.Error(), "")
		return
	}
	if len(list) == 0 {
		return
	}
	compact := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "tools", Value: ir.Value{Kind: ir.Array, Items: list}}}}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(compact.String()), "", "  "); err != nil {
		c.fail(main, err.Error(), "")
		return
	}
	c.answer.Tools = indented.String()
}

// compare writes what has changed since the other version.
func (c *compilation) compare(loader *schema.Loader, doc *ir.Document) {
	const name = "before.rpc.yaml"
	before := &compilation{Request: Request{Files: maps.Clone(c.Files), Take: c.Take}}
	text := c.Before
	if !schema.IsSchema([]byte(text)) {
		imported, ok := before.importDocument("before.json", text)
		if !ok {
			c.found = append(c.found, before.found...)
			return
		}
		text = imported.schema
	}
	before.Files[name] = text
	oldLoader, old, faults := before.load(name)
	if old == nil {
		c.found = append(c.found, faults...)
		return
	}
	view := diff.View{Report: diff.Compare(old, doc, func(doc *ir.Document) diff.Names { return templates.ComparedNames(doc) }), Old: diff.Side{Label: "before", Source: oldLoader.Source}, New: diff.Side{Label: "now", Source: loader.Source}}
	var out strings.Builder
	if err := view.WriteText(&out); err != nil {
		c.fail(name, err.Error(), "")
		return
	}
	c.answer.Diff = out.String()
}

func filesOf(generated []templates.File) (all []File) {
	return ir.Each(generated, func(f templates.File) File { return File{f.Name, string(f.Text)} })
}
