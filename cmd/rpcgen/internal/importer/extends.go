package importer

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// object is a declared type that has fields and extends nothing yet.
type objectType struct {
	name     string
	node     *yaml.Node
	fields   []named
	required []string
	bare     map[string]ir.Value // the fields without words
	mixin    bool                // nothing refers to it and at least two others have its fields: it is there to be extended
}

// extend finds bases again. Definitions are generated from a source in which types extend others, and every field is copied.
//
// A type extends a base when it has all its fields, equal but for being required, and one of these holds: its name ends or begins
// with that of the base; or nothing refers to the base and at least two types have its fields. Where an overlay has x-bases, only
// those count; where it says what a type extends, only that. A base within a base is left out. Fields of bases come first, in
// the order of the bases; own fields keep theirs.
func (i *importer) extend() {
	all := i.objects()
	for _, o := range all {
		if i.flat[o.name] {
			continue
		}
		found := i.basesFor(o, all)
		if asked, by := i.over.basesOf(o.name); asked != nil {
			anyway := found
			if found = asFound(asked, o, all); found == nil && !isNothing(asked) {
				continue // some of them add fields: the overlay says so when it is merged
			}
			by.done[asked] = !slices.Equal(anyway, found)
		}
		if len(found) > 0 {
			i.setBases(o, found)
		}
	}
	i.report.Extends = len(i.extended)
}

// basesFor finds the bases of a type.
func (i *importer) basesFor(o *objectType, all []*objectType) []*objectType {
	given, _ := i.over.bases()
	var found []*objectType
	for _, b := range all {
		if b != o && o.covers(b) && (given == nil && o.resembles(b) || names(given, b.name)) {
			found = append(found, b)
		}
	}
	return largest(found)
}

// asFound is the bases that an overlay asks for, if the type has all their fields.
func asFound(asked *yaml.Node, o *objectType, all []*objectType) []*objectType {
	var bases []*objectType
	for _, name := range words(asked) {
		k := slices.IndexFunc(all, func(b *objectType) bool { return b.name == name })
		if k < 0 || all[k] == o || !o.covers(all[k]) {
			return nil
		}
		bases = append(bases, all[k])
	}
	return bases
}

// names tells whether a list has a name.
func names(list *yaml.Node, name string) bool { return slices.Contains(words(list), name) }

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
	for _, item := range given.Content {
		used := false
		for name := range i.extended {
			used = used || names(get(get(i.doc.body["types"], name), "extends"), item.Value)
		}
		if !used {
			by.fault(item, "remove it", "no type extends %q: the entry changes nothing", item.Value)
		}
	}
	by.used += len(given.Content)
}

// objects are the declared types with fields, in order.
func (i *importer) objects() []*objectType {
	referred := map[string]int{}
	for _, s := range sections {
		countNames(i.doc.body[s], referred)
	}
	var all []*objectType
	each(i.doc.body["types"], func(key, n *yaml.Node) {
		s, ok := i.origins[n]
		if ok && get(n, "fields") != nil && get(n, "extends") == nil {
			o := &objectType{name: key.Value, node: n, fields: s.fieldsOf(), required: requiredOf(s), bare: map[string]ir.Value{}}
			for _, f := range o.fields {
				o.bare[f.name] = withoutWords(f.Value)
			}
			all = append(all, o)
		}
	})
	for _, o := range all {
		o.mixin = referred[o.name] == 0 && o.isShared(all)
	}
	return all
}

// countNames counts the words of all type expressions. Counting too many does no harm.
func countNames(n *yaml.Node, into map[string]int) {
	if n.Kind == yaml.ScalarNode {
		for _, word := range strings.FieldsFunc(n.Value, func(r rune) bool { return strings.ContainsRune("<>| []", r) }) {
			into[word]++
		}
	}
	for k, child := range n.Content {
		if n.Kind != yaml.MappingNode || k%2 == 1 {
			countNames(child, into)
		}
	}
}

// resembles tells whether a type may be meant to extend another.
func (o *objectType) resembles(b *objectType) bool {
	if len(b.fields) < len(o.fields) && (strings.HasSuffix(o.name, b.name) || strings.HasPrefix(o.name, b.name)) {
		return true
	}
	return b.mixin && !(o.mixin && len(b.fields) == len(o.fields))
}

// isShared tells whether at least two others have the fields of a type. One required field is what any reference looks like.
func (o *objectType) isShared(all []*objectType) bool {
	if len(o.fields) == 1 && len(o.required) == 1 {
		return false
	}
	n := 0
	for _, other := range all {
		if other != o && other.covers(o) {
			n++
		}
	}
	return n > 1
}

// covers tells whether a type has all fields of another.
func (o *objectType) covers(b *objectType) bool {
	if len(b.fields) == 0 || len(b.fields) > len(o.fields) {
		return false
	}
	for _, f := range b.fields {
		own, ok := o.bare[f.name]
		if !ok || !sameValue(own, b.bare[f.name]) ||
			slices.Contains(b.required, f.name) && !slices.Contains(o.required, f.name) {
			return false
		}
	}
	return true
}

func (o *objectType) field(name string) (cursor, bool) {
	for _, f := range o.fields {
		if f.name == name {
			return f.cursor, true
		}
	}
	return cursor{}, false
}

// withoutWords leaves out what is said of a schema. A property of these names holds a schema, which is no text.
func withoutWords(v ir.Value) ir.Value {
	var fields []ir.Member
	for _, m := range v.Fields {
		if isWord(m.Value) && (m.Name == "description" || m.Name == "title") {
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

// largest leaves out bases whose fields another base has.
func largest(bases []*objectType) []*objectType {
	var kept []*objectType
	for k, b := range bases {
		within := false
		for l, other := range bases {
			if k != l && other.covers(b) && (len(other.fields) > len(b.fields) || l < k) {
				within = true
			}
		}
		if !within {
			kept = append(kept, b)
		}
	}
	return kept
}

// setBases replaces the fields that bases have.
func (i *importer) setBases(o *objectType, bases []*objectType) {
	fields := get(o.node, "fields")
	var names []string
	for _, b := range bases {
		names = append(names, b.name)
		for _, f := range b.fields {
			own, _ := o.field(f.name)
			if sameValue(own.Value, f.Value) && slices.Contains(o.required, f.name) == slices.Contains(b.required, f.name) {
				remove(fields, f.name)
				remove(fields, f.name+"?")
			}
		}
	}
	at := indexOf(o.node, "fields")
	entry := []*yaml.Node{text("extends"), texts(names)}
	if len(fields.Content) == 0 {
		o.node.Content = slices.Replace(o.node.Content, at, at+2, entry...)
	} else {
		o.node.Content = slices.Insert(o.node.Content, at, entry...)
	}
	i.extended[o.name] = true
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
	root, fault := parse("", exported)
	if fault != nil {
		return all
	}
	defs, _ := cursor{Value: root}.get("$defs")
	for _, d := range defs.members() {
		all[d.name] = sorted(withoutWords(d.Value)).String()
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
