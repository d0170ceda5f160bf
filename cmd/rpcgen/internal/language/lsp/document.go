package lsp

import (
	"io/fs"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/schema"
)

// document is one state of an open document. It does not change.
type document struct {
	uri     string
	name    string // of the schema, as the loader calls it
	version int32
	text    string
	lines   []string // with their line breaks
}

// newDocument returns a document of a text.
func newDocument(uri string, version int32, text string) *document {
	return &document{uri: uri, name: nameOf(uri), version: version, text: text, lines: strings.SplitAfter(text, "\n")}
}

// documents are the open documents by the names of their schemas. They may be used by many goroutines.
type documents struct {
	mu    sync.Mutex
	open  map[string]*document
	roots []string // the folders that the client has open
	read  func(path string) ([]byte, error)

	list listed.Import // reads the lists of servers
}

// root sets the folders.
func (d *documents) root(p lsp.InitializeParams) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range p.WorkspaceFolders {
		d.roots = append(d.roots, nameOf(f.URI))
	}
	if uri, ok := p.RootURI.Get(); ok && len(d.roots) == 0 {
		d.roots = []string{nameOf(uri)}
	}
}

func (d *documents) put(uri string, version int32, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[nameOf(uri)] = newDocument(uri, version, text)
}

func (d *documents) drop(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, nameOf(uri))
}

// get returns an open document, or nil.
func (d *documents) get(uri string) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[nameOf(uri)]
}

// view is the state of all documents at one moment, and a loader of schemas that reads them before the file system. One goroutine may use it.
type view struct {
	schema.Loader
	open  map[string]*document
	roots []string
	read  func(path string) ([]byte, error)

	list listed.Import // reads the lists of servers
}

func (d *documents) view() *view {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := &view{open: maps.Clone(d.open), roots: d.roots, read: d.read, list: d.list}
	v.Loader.Read = v.text
	return v
}

// text reads a document or a file.
func (v *view) text(name string) ([]byte, error) {
	if d, ok := v.open[name]; ok {
		return []byte(d.text), nil
	}
	if !filepath.IsAbs(filepath.FromSlash(name)) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist} // next to a document that is not a file
	}
	return v.read(filepath.FromSlash(name))
}

// document returns a schema that is open or was loaded, or nil.
func (v *view) document(name string) *document {
	if d, ok := v.open[name]; ok {
		return d
	}
	if text, ok := v.Source(name); ok {
		return newDocument(uriOf(name), 0, string(text))
	}
	return nil
}

// nameOf is what the loader calls a document: the path of a file, and the URI of anything else.
func nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	name := u.Path
	if len(name) > 2 && name[2] == ':' { // /c:/schemas
		name = strings.ToUpper(name[1:2]) + name[2:]
	}
	return path.Clean(name)
}

// uriOf is the URI of a file.
func uriOf(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/schemas
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
