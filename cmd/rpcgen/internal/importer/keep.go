package importer

import (
	"io/fs"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/format"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// keepKey marks a declaration of a person's own, which stays although no source has it.
const keepKey = "x-keep"

// keep merges what was imported into the file that is there, checks the result and writes it.
func (i *importer) keep(fresh *yaml.Node, out *Source) ([]byte, error) {
	k := &keeper{importer: i, over: i.over, report: i.report, name: "imported.yaml"}
	if out == nil && len(i.over) == 0 && i.compiled != nil {
		return k.named(fresh, i.compiled, i.text) // the last attempt has compiled it
	}
	if out == nil {
		return k.write(fresh)
	}
	k.name = out.Name
	if !schema.IsSchema(out.Text) {
		return nil, foreign(diag.Pos{File: out.Name, Line: 1, Col: 1}, "")
	}
	document, faults := format.Parse(out.Name, out.Text)
	if faults.HasErrors() {
		return nil, foreign(faults[0].Span.Pos, ": "+faults[0].Message)
	}
	if get(root(document), "rpcgen") == nil {
		return nil, foreign(diag.Pos{File: out.Name, Line: 1, Col: 1}, "")
	}
	k.compare(fresh, out.Text)
	before := clone(document)
	k.mapping(root(document), fresh, grammar.Document(), "")
	k.reorder(root(document), grammar.Document())
	text, err := k.write(document)
	if same(before, document) {
		return out.Text, err
	}
	return text, err
}

// foreign refuses to write over a file that cannot be read as a schema.
func foreign(at diag.Pos, why string) error {
	return Faults{{Pos: at, Message: "this file is not a schema of rpcgen, and is not written over" + why, Help: "write elsewhere, correct it, or remove it first"}}
}

// root is the mapping of a document; nil when it is none.
func root(document *yaml.Node) *yaml.Node {
	if document == nil || document.Kind != yaml.DocumentNode {
		return document
	}
	return document.Content[0]
}

// keeper merges an import into a schema that is there.
//
// What the source says counts: which declarations, fields, values and branches there are, and what they may be. The rest is the
// file's own: its order, comments, words, names for Go, and every key that the import does not write. What an overlay says
// counts more than the file.
type keeper struct {
	*importer
	over   overlays
	report *Report
	name   string
	alike  map[string]bool // types that mean the same in the file and in the import

	wordsOnly bool // what stands here means the same already
}

// compare finds the types that mean the same in both, however they are spelled.
func (k *keeper) compare(fresh *yaml.Node, text []byte) {
	k.alike = map[string]bool{}
	was, _ := k.load(text)
	is, _ := k.load(encode(root(fresh)))
	if was == nil || is == nil {
		return
	}
	before, after := meanings(was), meanings(is)
	for name, meaning := range after {
		k.alike[name] = before[name] == meaning
	}
}

// write checks a document and writes it in canonical form.
func (k *keeper) write(document *yaml.Node) ([]byte, error) {
	doc, text, err := k.check(document)
	if err != nil {
		return nil, err
	}
	return k.named(document, doc, text)
}

// check compiles a document. A fault in what the overlay brought is shown there.
func (k *keeper) check(document *yaml.Node) (*ir.Document, []byte, error) {
	tree := root(document)
	text := encode(tree)
	doc, list := k.load(text)
	if !list.HasErrors() {
		return doc, text, nil
	}
	from, lines := k.brought(tree, text), strings.Split(string(text), "\n")
	var faults Faults
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		fault := faultsOf(diag.List{d})[0]
		if is := from.before(d.Span.Pos); is.by != nil {
			fault.Pos = is.by.pos(is.node)
		} else {
			fault.Pos = diag.Pos{File: k.name}
			fault.Help = diag.Excerpt(strings.TrimSpace(lines[d.Span.Line-1])) + "\n    " + fault.Help
		}
		faults = append(faults, fault)
	}
	return nil, nil, faults.err()
}

// brought is a node of the result with the overlay that it comes from; nil when it comes from none.
type brought struct {
	node *yaml.Node
	by   *overlay
}

func (k *keeper) brought(tree *yaml.Node, text []byte) marks[brought] {
	return markedBy(tree, text, func(n *yaml.Node, around brought) brought {
		if o := k.over.owner(n); o != nil {
			return brought{n, o}
		}
		return brought{n, around.by}
	})
}

// load compiles a text in place of the file.
func (k *keeper) load(text []byte) (*ir.Document, diag.List) {
	name := filepath.ToSlash(filepath.Clean(k.name))
	loader := schema.Loader{Read: func(path string) ([]byte, error) {
		if path == name {
			return text, nil
		}
		if k.name == "imported.yaml" {
			return nil, fs.ErrNotExist
		}
		return file.Read(filepath.FromSlash(path))
	}}
	return loader.Load(name)
}
