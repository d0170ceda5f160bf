package importer

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// objectType is a declared type that has fields and extends nothing yet.
type objectType struct {
	order    int // among all of them
	name     string
	node     *yaml.Node
	fields   []source.Named
	at       map[string]int // where each field stands
	required map[string]bool
	bare     []int        // the fields without words: equal ones have equal numbers
	has      map[int]bool // those
	mixin    bool         // nothing refers to it and at least two others have its fields: it is there to be extended
}

// extend finds bases again, where an overlay asks for it with x-bases. Definitions may be generated from a source in which types extend
// others, and every field is copied.
//
// A type extends a base when it has all its fields, equal but for being required, and one of these holds: its name ends or begins
// with that of the base; or nothing refers to the base and at least two types have its fields. Where x-bases is a list, only
// those count; where an overlay says what a type extends, only that. A base within a base is left out. Fields of bases come first, in
// the order of the bases; own fields keep theirs. After [mostCompared] comparisons no more bases are looked for.
func (i *importer) extend() {
	f := i.newBaseFinder()
	for _, o := range f.all {
		if i.Flat[o.name] {
			continue
		}
		found := f.basesFor(o)
		if asked, by := i.over.basesOf(o.name); asked != nil {
			anyway := found
			if found = f.asFound(asked, o); found == nil && !isNothing(asked) {
				continue // some of them add fields: the overlay says so when it is merged
			}
			by.done[asked] = !slices.Equal(anyway, found)
		}
		if len(found) > 0 {
			i.setBases(o, found)
		}
	}
	i.Report.Extends = len(i.extended)
}

// words are the scalars of a list, or the one scalar.
func words(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var all []string
	for _, item := range n.Content {
		all = append(all, item.Value)
	}
	return all
}

// basesUsed reports names under x-bases that no type extends.
func (i *importer) basesUsed() {
	given, by := i.over.bases()
	if given == nil {
		return
	}
	used := map[string]bool{}
	for name := range i.extended {
		for _, base := range words(tree.Get(i.doc.Body["types"].Get(name), "extends")) {
			used[base] = true
		}
	}
	for _, item := range given.Content {
		if !used[item.Value] {
			by.fault(item, "remove it", "no type extends %q: the entry changes nothing", item.Value)
		}
	}
	if isAll(given) && len(i.extended) == 0 {
		by.fault(given, "remove it", "no type has the fields of another: the entry changes nothing")
	}
	by.used += max(1, len(given.Content))
}

// setBases replaces the fields that bases have.
func (i *importer) setBases(o *objectType, bases []*objectType) {
	var names []string
	inherited := map[string]bool{}
	for _, b := range bases {
		names = append(names, b.name)
		for _, f := range b.fields {
			own := o.fields[o.at[f.Name]]
			if convert.SameValue(own.Value, f.Value) && o.required[f.Name] == b.required[f.Name] {
				inherited[f.Name], inherited[f.Name+"?"] = true, true
			}
		}
	}
	at := tree.IndexOf(o.node, "fields")
	fields := o.node.Content[at+1]
	var own []*yaml.Node
	tree.Each(fields, func(key, value *yaml.Node) {
		if !inherited[key.Value] {
			own = append(own, key, value)
		}
	})
	fields.Content = own
	entry := []*yaml.Node{tree.Text("extends"), tree.Texts(names)}
	if len(own) == 0 {
		o.node.Content = slices.Replace(o.node.Content, at, at+2, entry...)
	} else {
		o.node.Content = slices.Insert(o.node.Content, at, entry...)
	}
	i.extended[o.name] = true
}

// withoutWords leaves out what is said of a schema. A property of these names holds a schema, which is not text.
func withoutWords(v ir.Value) ir.Value {
	var fields []ir.Member
	for _, m := range v.Fields {
		if convert.IsWord(m.Value) && (m.Name == "description" || m.Name == "title") {
			continue
		}
		fields = append(fields, ir.Member{Name: m.Name, Value: withoutWords(m.Value)})
	}
	v.Fields = fields
	items := make([]ir.Value, len(v.Items))
	for i, item := range v.Items {
		items[i] = withoutWords(item)
	}
	v.Items = items
	return v
}

// compareBases notes the types that mean something else with bases than without.
func (i *importer) compareBases(flat, extended *ir.Document) {
	before, after := meanings(flat), meanings(extended)
	for name := range i.extended {
		if before[name] != after[name] {
			i.mustFlatten = append(i.mustFlatten, name)
		}
	}
}

// meanings are the exported definitions of a document, each in one form whatever the order of its members.
func meanings(doc *ir.Document) map[string]string {
	all := map[string]string{}
	exported, err := jsonschema.Export(doc, jsonschema.Options{})
	if err != nil {
		return all
	}
	root, _, fault := source.ParseJSON("", exported)
	if fault != nil {
		return all
	}
	defs, _ := source.Cursor{Value: root}.Get("$defs")
	for _, d := range defs.Members() {
		all[d.Name] = sorted(withoutWords(d.Value)).String()
	}
	return all
}

// sorted orders members, and the names under required.
func sorted(v ir.Value) ir.Value {
	fields := make([]ir.Member, len(v.Fields))
	for i, m := range v.Fields {
		fields[i] = ir.Member{Name: m.Name, Value: sorted(m.Value)}
		if m.Name == "required" {
			slices.SortFunc(fields[i].Value.Items, func(a, b ir.Value) int { return strings.Compare(a.Text, b.Text) })
		}
	}
	slices.SortFunc(fields, func(a, b ir.Member) int { return strings.Compare(a.Name, b.Name) })
	items := make([]ir.Value, len(v.Items))
	for i, item := range v.Items {
		items[i] = sorted(item)
	}
	v.Fields, v.Items = fields, items
	return v
}
