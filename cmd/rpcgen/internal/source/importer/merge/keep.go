// Package merge puts together what an import makes of a source, what overlays say of it, and the schema that is there already.
//
//test:by ./cmd/rpcgen/internal/source/importer
package merge

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
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
	Adopt    bool         // the file stands for what the source said last, if there is no record
	Generate func(doc *ir.Document, size int) (report.GoCode, diag.List)
	Called   map[string]string // what the import called types that have other names in doc
}

// Keep merges what was imported into the file that is there, checks the result and writes it. It returns what the result compiles to, too.
func Keep(i Import, fresh *yaml.Node, out, last *source.Source) ([]byte, *ir.Document, error) {
	k := &keeper{spelling: spelling{over: i.Over, written: map[*yaml.Node]*yaml.Node{}}, imported: i, report: i.Report, name: "imported.yaml",
		sourceNames: i.Called}
	if out == nil && len(i.Over) == 0 && i.Compiled != nil {
		return k.resolveClashes(fresh, i.Compiled, i.Text) // the last attempt has compiled it
	}
	if out == nil || source.TextOnly {
		doc, text, err := k.check(fresh)
		if err != nil {
			return nil, nil, err
		}
		return k.resolveClashes(fresh, doc, text)
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
	if err := k.remember(last, root(document), fresh); err != nil {
		return nil, nil, err
	}
	k.followNames(root(document), fresh)
	shareErrors(root(document), fresh)
	merged, doc, text, err := k.settle(document, k.canonical(fresh, grammar.Document()))
	if err != nil {
		return nil, nil, err
	}
	is, doc, err := k.resolveClashes(merged, doc, text)
	if tree.Same(document, merged) {
		return out.Text, doc, err
	}
	return is, doc, err
}

// mostSettling bounds how often a merge is done anew.
const mostSettling = 20

// settle merges the import into the file. What a person wrote and no longer fits what the source says goes, with a line in the report.
func (k *keeper) settle(document, fresh *yaml.Node) (*yaml.Node, *ir.Document, []byte, error) {
	k.forced, k.needed = map[string]string{}, map[string]bool{}
	base := k.canonical(k.base, grammar.Document())
	written := k.written // of what stays the same
	for range mostSettling {
		k.written, k.merged = maps.Clone(written), map[*yaml.Node]*yaml.Node{}
		k.kept = map[*yaml.Node][]string{}
		k.report.Added, k.report.Changed, k.report.Removed, k.report.Kept, k.report.Dropped = nil, nil, nil, nil, nil
		merged := tree.Clone(document)
		file := k.canonical(root(merged), grammar.Document())
		merged.Content[0] = k.spell(k.mapping(level{base, file, fresh, grammar.Document(), "", ""}), grammar.Document())
		adoptErrors(root(document), root(merged))
		k.reorder(root(merged), grammar.Document())
		doc, text, list := k.compileTree(root(merged))
		if list.HasErrors() && k.force(root(merged), tree.Get(root(document), "types"), text, list) {
			continue
		}
		return merged, doc, text, k.faults(root(merged), text, list)
	}
	return nil, nil, nil, source.Faults{{Pos: diag.Pos{File: k.name, Line: 1, Col: 1},
		Message: "what the file says does not fit what the source says now", Help: "correct the file, or import into a new one"}}
}

// force notes where the source counts, since what a person wrote has faults, and the types of the file that are still needed. It reports whether any is.
func (k *keeper) force(whole, types *yaml.Node, text []byte, list diag.List) bool {
	before, spots := len(k.forced)+len(k.needed), spotsOf(whole, text)
	for _, d := range list.Errors() {
		next := spots.all.after(d.Span.Pos)
		if next == 0 {
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
			within := k.keptWithin(is.node)
			if value := is.value(); value != nil {
				within = append(within, k.keptWithin(value)...)
			}
			within = slices.DeleteFunc(within, func(at string) bool { return !mayGo(at, key) })
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

// mayGo reports whether what a person wrote at a place may be wrong: what ends with a key, or, if that is empty, all but words.
func mayGo(at, key string) bool {
	last := at[strings.LastIndexByte(at, '/')+1:]
	return last == key || key == "" && !slices.Contains([]string{"description", "title", "deprecated", "go"}, last) || key == "default" &&
		strings.HasSuffix(last, "?")
}

// keptWithin lists where a person wrote something within a node.
func (k *keeper) keptWithin(n *yaml.Node) []string {
	all := slices.Clone(k.kept[n])
	for _, child := range n.Content {
		all = append(all, k.keptWithin(child)...)
	}
	return all
}

// foreign refuses to write over a file that cannot be read as a schema.
func foreign(at diag.Pos, why string) error {
	return source.Faults{{Pos: at, Message: "this file is not a schema of rpcgen, and is not written over" + why,
		Help: "write elsewhere, correct it, or remove it first"}}
}

// root is the mapping of a document; nil when it is none.
func root(document *yaml.Node) *yaml.Node {
	if document == nil || document.Kind != yaml.DocumentNode {
		return document
	}
	return document.Content[0]
}

// keeper merges an import into a schema that is there: what a person has edited in it since the last import is applied to what the source says now.
//
// What the source has changed since is changed, and the rest is the file's own: its order, comments, and what only a person wrote. Where both have
// changed a place, words are the person's, and what values may be is the source's. What an overlay says counts more than the file.
type keeper struct {
	spelling
	imported Import
	report   *report.Report
	name     string

	base   *yaml.Node              // what the source said last
	kept   map[*yaml.Node][]string // what a person wrote and the merge kept, by its JSON Pointers
	forced map[string]string       // where the source counts, since what a person wrote does not fit, and why
	needed map[string]bool         // types that the source has no more, and something in the file refers to

	sourceNames map[string]string // of the types that a person has given another name
}

// remember reads the record of the last import. Without one that can be used, or with that of another import, the file is adopted for it if that is asked for.
func (k *keeper) remember(last *source.Source, file, fresh *yaml.Node) error {
	why := "there is no record of what the source said last"
	if last != nil {
		document, faults := format.Parse(last.Name, last.Text)
		of := func(n *yaml.Node) *yaml.Node { return tree.Get(tree.Get(n, "x-import"), "sha256") }
		switch {
		case faults.HasErrors() || !schema.IsSchema(last.Text) || root(document).Kind != yaml.MappingNode:
			why = escape.Line(last.Name) + " is not a record of what the source said last"
		case of(file) != nil && of(root(document)) != nil && of(file).Value != of(root(document)).Value:
			why = escape.Line(last.Name) + " is the record of another import than that of the file"
		default:
			k.base = root(document)
			return nil
		}
	}
	if !k.imported.Adopt {
		return source.Faults{{Pos: diag.Pos{File: k.name, Line: 1, Col: 1}, Message: why,
			Help: "--adopt takes the file as it is for that record: the source counts where the two differ, and your words and names for Go stay; or import " +
				"into a new file"}}
	}
	k.base = adoptable(k.canonical(file, grammar.Document()), grammar.Document())
	for _, key := range tree.KeysOf(k.base) {
		if tree.Get(fresh, key) == nil {
			tree.Remove(k.base, key)
		}
	}
	return nil
}

// adoptable is the part of a file that a source may have said: without words, and without declarations that stay.
func adoptable(n *yaml.Node, place *grammar.Place) *yaml.Node {
	if place == nil || place == grammar.Data() {
		return n
	}
	is := *n
	is.Content = nil
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			is.Content = append(is.Content, adoptable(child, place.Items))
		case i%2 == 1 && !personal(place, n.Content[i-1].Value) && !(place.Each != nil && keeps(child)):
			is.Content = append(is.Content, n.Content[i-1], adoptable(child, place.Value(n.Content[i-1].Value)))
		}
	}
	return &is
}

// Record is the text of what the source says, with the overlays, for the next import.
func Record(fresh []byte) []byte {
	const head = "# What the source said when rpcgen import read it last. It is compared with what the source says next: commit it, and leave it as it is.\n"
	return append([]byte(head), fresh...)
}

// reorder applies the orders of the overlay to the merged document.
func (k *keeper) reorder(document *yaml.Node, place *grammar.Place) {
	var walk func(target, over *yaml.Node, place *grammar.Place)
	walk = func(target, over *yaml.Node, place *grammar.Place) {
		is := keysIn(target, place)
		tree.Each(over, func(key, value *yaml.Node) {
			if at := is.find(key.Value); at >= 0 && value.Kind == yaml.MappingNode {
				walk(target.Content[at+1], value, place.Value(key.Value))
			}
		})
		if order := tree.Get(over, orderKey); order != nil {
			if ordered := collection(target, place); ordered != nil {
				moveFirst(ordered, order.Content)
			}
		}
	}
	for _, o := range k.over {
		walk(document, o.root, place)
	}
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
	from, lines := k.madeOf(whole, text), strings.Split(string(text), "\n")
	var faults source.Faults
	for _, d := range list.Errors() {
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

// load compiles a text in place of the file.
func (k *keeper) load(text []byte) (*ir.Document, diag.List) {
	if k.name == "imported.yaml" {
		return tree.Load(k.name, text)
	}
	name := filepath.ToSlash(filepath.Clean(k.name))
	loader := schema.Loader{Read: func(path string) ([]byte, error) {
		if path == name {
			return text, nil
		}
		return file.Read(filepath.FromSlash(path))
	}}
	return loader.Load(name)
}
