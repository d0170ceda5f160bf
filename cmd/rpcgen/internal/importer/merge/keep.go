// Package merge puts together what an import makes of a source, what overlays say of it, and the schema that is there already.
//
//test:by ./cmd/rpcgen/internal/importer
package merge

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// keepKey marks a declaration of a person's own, which stays although no source has it.
const keepKey = "x-keep"

// Import is what a source became, which is merged into the file that is there.
type Import struct {
	File     string // the name of the source
	Doc      *tree.Document
	Origins  map[*yaml.Node]source.Cursor // what the nodes of doc were made of
	Over     Overlays
	Report   *report.Report
	Compiled *ir.Document // what doc was compiled to last; nil when it has faults
	Text     []byte       // as it was compiled
	Generate func(*ir.Document) (report.Generated, diag.List)
}

// Keep merges what was imported into the file that is there, checks the result and writes it. It returns what the result compiles to, too.
func Keep(i Import, fresh *yaml.Node, out, last *source.Source) ([]byte, *ir.Document, error) {
	k := &keeper{imported: i, over: i.Over, report: i.Report, name: "imported.yaml", sourceNames: map[string]string{}}
	if out == nil && len(i.Over) == 0 && i.Compiled != nil {
		return k.named(fresh, i.Compiled, i.Text) // the last attempt has compiled it
	}
	if out == nil {
		return k.write(fresh)
	}
	k.name = out.Name
	if !schema.IsSchema(out.Text) {
		return nil, nil, foreign(diag.Pos{File: out.Name, Line: 1, Col: 1}, "")
	}
	document, faults := format.Parse(out.Name, out.Text)
	if faults.HasErrors() {
		return nil, nil, foreign(faults[0].Span.Pos, ": "+faults[0].Message)
	}
	if tree.Get(root(document), "rpcgen") == nil {
		return nil, nil, foreign(diag.Pos{File: out.Name, Line: 1, Col: 1}, "")
	}
	k.remember(last, root(document))
	k.called(root(document), fresh)
	k.compare(fresh, out.Text)
	shareErrors(root(document), fresh)
	merged, doc, text, err := k.settled(document, fresh)
	if err != nil {
		return nil, nil, err
	}
	is, doc, err := k.named(merged, doc, text)
	if tree.Same(document, merged) {
		return out.Text, doc, err
	}
	return is, doc, err
}

// mostSettling bounds how often a merge is done anew.
const mostSettling = 20

// settled merges the import into the file. What a person wrote and no longer fits what the source says goes, with a line in the report.
func (k *keeper) settled(document, fresh *yaml.Node) (*yaml.Node, *ir.Document, []byte, error) {
	k.forced, k.needed = map[string]string{}, map[string]bool{}
	for range mostSettling {
		k.kept = map[*yaml.Node]string{}
		k.report.Added, k.report.Changed, k.report.Removed, k.report.Kept, k.report.Dropped = nil, nil, nil, nil, nil
		merged := tree.Clone(document)
		k.mapping(level{root(merged), fresh, k.last, grammar.Document(), "", ""})
		adoptErrors(root(document), root(merged))
		k.reorder(root(merged), grammar.Document())
		doc, text, list := k.compileTree(root(merged))
		if list.HasErrors() && k.force(root(merged), tree.Get(root(document), "types"), text, list) {
			continue
		}
		return merged, doc, text, k.faults(root(merged), text, list)
	}
	return nil, nil, nil, source.Faults{{Pos: diag.Pos{File: k.name, Line: 1, Col: 1}, Message: "what the file says does not fit what the source says now", Help: "correct the file, or import into a new one"}}
}

// force notes what a person wrote where the merge has faults, so that the source counts there, and the types of the file that it still needs. It reports
// whether there is any.
func (k *keeper) force(whole, types *yaml.Node, text []byte, list diag.List) bool {
	before, spots := len(k.forced)+len(k.needed), spotsOf(whole, text)
	for _, d := range list {
		next := spots.all.after(d.Span.Pos)
		if d.Severity != diag.Error || next == 0 {
			continue
		}
		stays := false
		if d.Code == diag.UnknownType { // a person may have removed it while nothing referred to it, or the source has it no more
			for _, name := range namesIn(spots.all[next-1].is.node.Value) {
				at, gone := below("/types", name), tree.Get(tree.Get(whole, "types"), name) == nil
				if gone && tree.Get(types, name) != nil {
					k.needed[at], stays = true, true
				} else if gone && k.report.API != nil && tree.Get(whole, "types") != nil {
					k.forced[at] = d.Message
				}
			}
		}
		if stays {
			continue
		}
		key := map[diag.Code]string{diag.InvalidDefault: "default", diag.DefaultOnRequired: "default", diag.InvalidExample: "examples"}[d.Code]
		for is := spots.all[next-1].is; is != nil; is = is.around {
			within := k.keptWithin(is.node, key)
			if value := is.value(); value != nil {
				within = append(within, k.keptWithin(value, key)...)
			}
			for _, at := range within {
				k.forced[at] = d.Message
			}
			if len(within) > 0 {
				break
			}
		}
	}
	return len(k.forced)+len(k.needed) > before
}

// keptWithin lists where a person wrote something within a node: what ends with a key, or, if that is empty, all but words.
func (k *keeper) keptWithin(n *yaml.Node, key string) (all []string) {
	if at, ok := k.kept[n]; ok {
		last := at[strings.LastIndexByte(at, '/')+1:]
		if last == key || key == "" && !slices.Contains([]string{"description", "title", "deprecated", "go"}, last) || key == "default" && strings.HasSuffix(last, "?") {
			all = append(all, at)
		}
	}
	for _, child := range n.Content {
		all = append(all, k.keptWithin(child, key)...)
	}
	return all
}

// foreign refuses to write over a file that cannot be read as a schema.
func foreign(at diag.Pos, why string) error {
	return source.Faults{{Pos: at, Message: "this file is not a schema of rpcgen, and is not written over" + why, Help: "write elsewhere, correct it, or remove it first"}}
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
// Where it is known what the source said last, what the source has changed since is changed, and the rest is the file's own. Where both have
// changed a place, words are the person's, and what values may be is the source's. Otherwise
// what the source says counts: which declarations, fields, values and branches there are, and what they may be. The rest is the
// file's own: its order, comments, words, names for Go, and every key that the import does not write. What an overlay says
// counts more than the file.
type keeper struct {
	imported Import
	over     Overlays
	report   *report.Report
	name     string
	alike    map[string]bool // types that mean the same in the file and in the import

	last   memory                // what the source said last
	kept   map[*yaml.Node]string // what a person wrote and the merge kept, by its JSON Pointer
	forced map[string]string     // where the source counts, since what a person wrote does not fit, and why
	needed map[string]bool       // types that the source has no more, and something in the file refers to

	sourceNames map[string]string // of the types that a person has given another name

	wordsOnly bool // what stands here means the same already
}

// compare finds the types that mean the same in both, however they are spelled.
func (k *keeper) compare(fresh *yaml.Node, text []byte) {
	k.alike = map[string]bool{}
	was, _ := k.load(text)
	is, _ := k.load(tree.Encode(root(fresh)))
	if was == nil || is == nil {
		return
	}
	before, after := convert.Meanings(was), convert.Meanings(is)
	for name, meaning := range after {
		k.alike[name] = before[name] == meaning
	}
}

// write checks a document and writes it in canonical form.
func (k *keeper) write(document *yaml.Node) ([]byte, *ir.Document, error) {
	doc, text, err := k.check(document)
	if err != nil {
		return nil, nil, err
	}
	return k.named(document, doc, text)
}

// check compiles a document. A fault in what the overlay brought is shown there.
func (k *keeper) check(document *yaml.Node) (*ir.Document, []byte, error) {
	whole := root(document)
	doc, text, list := k.compileTree(whole)
	return doc, text, k.faults(whole, text, list)
}

func (k *keeper) compileTree(whole *yaml.Node) (*ir.Document, []byte, diag.List) {
	text := tree.Encode(whole)
	doc, list := k.load(text)
	return doc, text, list
}

// faults are the errors of a compilation as those of an import.
func (k *keeper) faults(whole *yaml.Node, text []byte, list diag.List) error {
	if !list.HasErrors() {
		return nil
	}
	from, lines := k.brought(whole, text), strings.Split(string(text), "\n")
	var faults source.Faults
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		fault := source.FaultsOf(diag.List{d})[0]
		if is := from.Before(d.Span.Pos); is.by != nil {
			fault.Pos = is.by.pos(is.node)
		} else {
			fault.Pos = diag.Pos{File: k.name}
			fault.Help = strings.TrimSuffix(diag.Excerpt(strings.TrimSpace(lines[d.Span.Line-1]))+"; "+fault.Help, "; ")
		}
		faults = append(faults, fault)
	}
	return faults.Err()
}

// brought is a node of the result with the overlay that it comes from; nil when it comes from none.
type brought struct {
	node *yaml.Node
	by   *Overlay
}

func (k *keeper) brought(whole *yaml.Node, text []byte) Marks[brought] {
	return MarkedBy(whole, text, func(n *yaml.Node, around brought) brought {
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
