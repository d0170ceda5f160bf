package importer

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// objectType is a declared type that has fields and extends nothing yet.
type objectType struct {
	order    int // among all of them
	name     string
	node     *yaml.Node
	fields   []source.Member
	at       map[string]int // where each field stands
	required map[string]bool
	bare     []int        // the fields without words: equal ones have equal numbers
	has      map[int]bool // those
	mixin    bool         // nothing refers to it and at least two others have its fields: it is there to be extended
}

// extend finds bases again, where an overlay asks for it with x-bases: definitions may be generated from a source in which types extend others.
//
// A type extends a base when it has all its fields, equal but for being required, and its name ends or begins with that of the base, or nothing refers to
// the base and at least two types have its fields. Where x-bases is a list, only those count; where an overlay says what a type extends, only that. A base
// within a base is left out. Fields of bases come first, in the order of the bases; own fields keep theirs.
func (a *attempt) extend() {
	f := a.newBaseFinder()
	for _, o := range f.all {
		if a.d.Conv.Decisions.Flat[o.name] {
			continue
		}
		found := f.basesFor(o)
		if asked, by := a.d.Over.Last("types", o.name, "extends"); asked != nil {
			anyway := found
			if found = f.asFound(asked, o); found == nil && !merge.IsNothing(asked) {
				continue // some of them add fields: the overlay says so when it is merged
			}
			by.Done[asked] = !slices.Equal(anyway, found)
		}
		if len(found) > 0 {
			a.setBases(o, found)
		}
	}
	a.d.Conv.Report.Extends = len(a.d.Extended)
}

// basesUsed reports names under x-bases that no type extends.
func (a *attempt) basesUsed() {
	given, by := a.d.Over.Bases()
	if given == nil {
		return
	}
	used := map[string]bool{}
	for name := range a.d.Extended {
		for _, base := range tree.Words(tree.Get(a.d.Doc.Body["types"].Get(name), "extends")) {
			used[base] = true
		}
	}
	for _, item := range given.Content {
		if !used[item.Value] {
			by.Fault(item, "remove it", "no type extends %q: the entry changes nothing", item.Value)
		}
	}
	if isAll(given) && len(a.d.Extended) == 0 {
		by.Fault(given, "remove it", "no type has the fields of another: the entry changes nothing")
	}
	by.Used += max(1, len(given.Content))
}

// setBases replaces the fields that bases have.
func (a *attempt) setBases(o *objectType, bases []*objectType) {
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
	a.d.Extended[o.name] = true
}

// compareBases notes the types that mean something else with bases than without.
func (a *attempt) compareBases(flat, extended *ir.Document) {
	before, after := convert.Meanings(flat), convert.Meanings(extended)
	for name := range a.d.Extended {
		if before[name] != after[name] {
			a.d.MustFlatten = append(a.d.MustFlatten, name)
		}
	}
}
