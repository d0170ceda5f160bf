package importer

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/format"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// keepKey marks a declaration of a person's own, which stays although no source has it.
const keepKey = "x-keep"

// keep merges what was imported into the file that is there, checks the result and writes it.
func keep(fresh *yaml.Node, over *overlay, out *Source, report *Report) ([]byte, error) {
	k := &keeper{over: over, report: report, name: "imported.yaml"}
	if out == nil {
		return k.write(fresh)
	}
	k.name = out.Name
	document, faults := format.Parse(out.Name, out.Text)
	if faults.HasErrors() {
		return nil, faultsOf(faults)
	}
	if get(root(document), "rpcgen") == nil {
		return nil, Faults{{Pos: diag.Pos{File: out.Name, Line: 1, Col: 1}, Message: "this file is no schema of rpcgen, and is not written over",
			Help: "write elsewhere, or remove it first"}}
	}
	k.compare(fresh, out.Text)
	before := clone(document)
	k.mapping(root(document), fresh, grammar.Document(), "")
	k.reorder(root(document), grammar.Document())
	if same(before, document) {
		return out.Text, k.check(document)
	}
	return k.write(document)
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
	over   *overlay
	report *Report
	name   string
	alike  map[string]bool // types that mean the same in the file and in the import

	wordsOnly bool // what stands here means the same already
}

// compare finds the types that mean the same in both, however they are spelled.
func (k *keeper) compare(fresh *yaml.Node, text []byte) {
	k.alike = map[string]bool{}
	was, _ := k.load(text)
	is, _ := k.load(encode(withoutTools(fresh)))
	if was == nil || is == nil {
		return
	}
	before, after := meanings(was), meanings(is)
	for name, meaning := range after {
		k.alike[name] = before[name] == meaning
	}
}

// withoutTools leaves out what this compiler does not know yet.
func withoutTools(document *yaml.Node) *yaml.Node {
	copied := *root(document)
	copied.Content = slices.Clone(copied.Content)
	remove(&copied, "tools")
	remove(&copied, "use")
	return &copied
}

// write checks a document and writes it in canonical form.
func (k *keeper) write(document *yaml.Node) ([]byte, error) {
	if err := k.check(document); err != nil {
		return nil, err
	}
	return format.Node(document), nil
}

// check compiles a document. A fault in what the overlay brought is shown there.
func (k *keeper) check(document *yaml.Node) error {
	tree := withoutTools(document)
	text := encode(tree)
	_, list := k.load(text)
	var faults Faults
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		fault := faultsOf(diag.List{d})[0]
		if n := k.broughtAt(tree, text, d); n != nil {
			fault.Pos = k.over.pos(n)
		} else {
			fault.Pos = diag.Pos{File: k.name}
			fault.Help = strings.TrimSpace(strings.Split(string(text), "\n")[d.Span.Line-1]) + "\n    " + fault.Help
		}
		faults = append(faults, fault)
	}
	return faults.err()
}

// broughtAt is the node of the overlay that a diagnostic is about; nil when it is about something else.
func (k *keeper) broughtAt(tree *yaml.Node, text []byte, d diag.Diagnostic) *yaml.Node {
	if k.over == nil {
		return nil
	}
	var found *yaml.Node
	visit(tree, text, func(n *yaml.Node, line, col int, path []*yaml.Node) {
		if line > d.Span.Line || line == d.Span.Line && col > d.Span.Col {
			return
		}
		found = nil
		if slices.ContainsFunc(path, func(p *yaml.Node) bool { return k.over.pinned[p] }) {
			found = n
		}
	})
	return found
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
		return os.ReadFile(filepath.FromSlash(path))
	}}
	return loader.Load(name)
}

// mapping merges a mapping of the import into the one of the file. The name is that of the section, when it is one.
func (k *keeper) mapping(old, fresh *yaml.Node, place *grammar.Place, section string) {
	before := -2 // after which key the next new one goes
	each(fresh, func(key, value *yaml.Node) {
		at := matching(old, key.Value, place)
		if at < 0 && k.wordsOnly && (place.Each != nil || !own(place, key.Value)) {
			return
		}
		if at < 0 {
			at = before + 2
			if place.Each == nil {
				at = len(old.Content)
			}
			old.Content = slices.Insert(old.Content, at, clone(key), value)
			if slices.Contains(sections, section) {
				k.report.Added = append(k.report.Added, key.Value)
			}
			before = at
			return
		}
		before = at
		old.Content[at].Value = key.Value // it may have become optional, or required
		k.value(old, at, value, place, section)
	})
	for i := len(old.Content) - 2; i >= 0; i -= 2 {
		key := old.Content[i].Value
		if matching(fresh, key, place) < 0 && k.goes(old.Content[i+1], key, fresh, place) {
			old.Content = slices.Delete(old.Content, i, i+2)
			if slices.Contains(sections, section) {
				k.report.Removed = append(k.report.Removed, key)
			}
		}
	}
}

// value merges one value of a mapping.
func (k *keeper) value(parent *yaml.Node, at int, fresh *yaml.Node, place *grammar.Place, section string) {
	key, old := parent.Content[at].Value, parent.Content[at+1]
	below := place.Value(key)
	switch {
	case place == grammar.Document() && slices.Contains(sections, key):
		k.mapping(old, fresh, below, key)
		return
	case section != "":
		was := clone(old)
		if section != "types" || !k.alike[key] {
			parent.Content[at+1] = k.merged(old, fresh, below)
		} else {
			parent.Content[at+1] = k.worded(old, fresh, below)
		}
		if !same(was, parent.Content[at+1]) {
			k.report.Changed = append(k.report.Changed, key)
		}
		return
	case own(place, key) && !k.pinned(fresh), isEmpty(fresh):
		return
	}
	parent.Content[at+1] = k.merged(old, fresh, below)
}

// isEmpty tells whether nothing is written, as beside an enum value of which nothing is said.
func isEmpty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" }

// goes tells whether an entry of the file goes when the import does not have it.
func (k *keeper) goes(value *yaml.Node, key string, fresh *yaml.Node, place *grammar.Place) bool {
	switch {
	case place == grammar.Document():
		return false // the source says nothing of the section
	case k.wordsOnly:
		return false
	case place.Each != nil:
		keep := get(value, keepKey)
		return keep == nil || keep.Value != "true"
	case slices.Contains([]string{"by", "in", "absent", "open"}, key):
		return get(fresh, "union") == nil && get(fresh, "enum") == nil
	}
	return place.Key("description") != nil && !own(place, key)
}

// own tells whether a key says something that sources say nothing of, or only in words.
func own(place *grammar.Place, key string) bool {
	switch {
	case place == grammar.Document():
		return slices.Contains([]string{"package", "title", "description"}, key)
	case place.Key("union") != nil:
		owned := slices.Contains([]string{"type", "format"}, key) || slices.Contains(ruleKeywords, key) || key == "x-schema"
		for _, keys := range formKeys {
			owned = owned || slices.Contains(keys, key)
		}
		return !owned || slices.Contains([]string{"by", "in", "absent"}, key)
	case place == grammar.Method():
		return !slices.Contains([]string{"from", "params", "params?", "result", "embedded"}, key)
	case place == grammar.ErrorObject():
		return !slices.Contains([]string{"code", "data"}, key)
	}
	return false
}

func (k *keeper) pinned(n *yaml.Node) bool { return k.over != nil && k.over.pinned[n] }

// merged is the value of the file with what the import says.
func (k *keeper) merged(old, fresh *yaml.Node, place *grammar.Place) *yaml.Node {
	if same(old, fresh) || k.wordsOnly && fresh.Kind != yaml.MappingNode {
		return old
	}
	isSchema := place.Key("union") != nil
	switch {
	case old.Kind == yaml.MappingNode && fresh.Kind == yaml.MappingNode:
		k.mapping(old, fresh, place, "")
		return old
	case isSchema && (old.Kind == yaml.MappingNode || fresh.Kind == yaml.MappingNode):
		was, is := lift(old, place), lift(fresh, place)
		if was == nil || is == nil {
			return k.replaced(old, fresh)
		}
		k.mapping(was, is, place, "")
		if len(was.Content) == 2 && was.Content[0].Value == "type" {
			return k.replaced(old, was.Content[1])
		}
		was.LineComment, was.HeadComment = old.LineComment, old.HeadComment
		return was
	case place.Name == "enum" && old.Kind == yaml.MappingNode:
		k.mapping(old, lift(fresh, place), place, "")
		return old
	case k.wordsOnly:
		return old
	case old.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode && allScalars(old) && allScalars(fresh):
		return k.list(old, fresh)
	}
	return k.replaced(old, fresh)
}

// replaced is a new value with the comments of the old one.
func (k *keeper) replaced(old, fresh *yaml.Node) *yaml.Node {
	n := clone(fresh)
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return n
}

func allScalars(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode })
}

// list adds new elements and removes those that are gone. The order of the rest is the file's.
func (k *keeper) list(old, fresh *yaml.Node) *yaml.Node {
	has := func(n *yaml.Node, value string) bool {
		return slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Value == value })
	}
	old.Content = slices.DeleteFunc(old.Content, func(c *yaml.Node) bool { return !has(fresh, c.Value) })
	for _, c := range fresh.Content {
		if !has(old, c.Value) {
			old.Content = append(old.Content, clone(c))
		}
	}
	return old
}

// worded adds words to a type that means the same as before, however it is spelled.
func (k *keeper) worded(old, fresh *yaml.Node, place *grammar.Place) *yaml.Node {
	k.wordsOnly = true
	defer func() { k.wordsOnly = false }()
	return k.merged(old, fresh, place)
}

// reorder applies the orders of the overlay to the merged document.
func (k *keeper) reorder(document *yaml.Node, place *grammar.Place) {
	if k.over == nil {
		return
	}
	var walk func(target, over *yaml.Node, place *grammar.Place)
	walk = func(target, over *yaml.Node, place *grammar.Place) {
		each(over, func(key, value *yaml.Node) {
			if at := matching(target, key.Value, place); at >= 0 && value.Kind == yaml.MappingNode {
				walk(target.Content[at+1], value, place.Value(key.Value))
			}
		})
		if order := get(over, orderKey); order != nil {
			k.moveFirst(collection(target, place), order)
		}
	}
	walk(document, k.over.root, place)
}

func (k *keeper) moveFirst(ordered, order *yaml.Node) {
	at := 0
	for _, name := range order.Content {
		if ordered == nil {
			return
		}
		if from := elementNamed(ordered, name.Value); from >= at {
			at = moveTo(ordered, from, at)
		}
	}
}
