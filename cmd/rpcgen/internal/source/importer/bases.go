package importer

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// baseFinder finds out which types have all fields of others. A base is looked up by the one of its fields that the fewest types have.
type baseFinder struct {
	all    []*objectType
	given  map[string]bool // names under x-bases of an overlay; nil if all types may be bases
	byName map[string]*objectType
	owners map[int][]*objectType // the types that have a field
	rarest map[int][]*objectType // the types that may be bases, by their rarest field
	work   *source.Work
}

// newBaseFinder lists the declared types with fields, in order.
func (a *attempt) newBaseFinder() *baseFinder {
	f := &baseFinder{byName: map[string]*objectType{}, owners: map[int][]*objectType{}, rarest: map[int][]*objectType{}, work: a.d.Conv.Resolver.Work}
	if given, _ := a.d.Over.Bases(); !isAll(given) {
		f.given = convert.SetOf(tree.Words(given))
	}
	numbers := map[string]int{}
	tree.Each(a.d.Doc.Body["types"].Node, func(key, n *yaml.Node) {
		s, ok := a.d.Conv.Origins[n]
		if ok && tree.Get(n, "fields") != nil && tree.Get(n, "extends") == nil {
			f.add(newObjectType(key.Value, n, s, numbers))
		}
	})
	referred := a.references()
	for _, o := range f.all { // mixins are what nothing refers to and at least two others have the fields of
		o.mixin = referred[o.name] == 0 && len(o.fields) > 0 && f.isShared(o)
	}
	f.index()
	return f
}

// isAll reports whether x-bases lets all types be found again as bases.
func isAll(given *yaml.Node) bool { return given != nil && given.Value == "true" }

func newObjectType(name string, n *yaml.Node, s source.Cursor, numbers map[string]int) *objectType {
	o := &objectType{name: name, node: n, fields: s.FieldsOf(), at: map[string]int{}, required: convert.SetOf(convert.RequiredOf(s)), has: map[int]bool{}}
	for k, field := range o.fields {
		is := strconv.Quote(field.Name) + convert.Sort(jsonschema.WithoutWords(field.Value)).String()
		number, known := numbers[is]
		if !known {
			number = len(numbers)
			numbers[is] = number
		}
		o.at[field.Name], o.bare, o.has[number] = k, append(o.bare, number), true
	}
	return o
}

func (f *baseFinder) add(o *objectType) {
	o.order = len(f.all)
	f.all = append(f.all, o)
	f.byName[o.name] = o
	for _, number := range o.bare {
		f.owners[number] = append(f.owners[number], o)
	}
}

// references counts the words of all type expressions.
func (a *attempt) references() map[string]int {
	all := map[string]int{}
	for _, s := range tree.Sections {
		countNames(a.d.Doc.Body[s].Node, all)
	}
	return all
}

// rarestOf is the field of a type that the fewest types have.
func (f *baseFinder) rarestOf(o *objectType) int {
	return slices.MinFunc(o.bare, func(a, b int) int { return cmp.Compare(len(f.owners[a]), len(f.owners[b])) })
}

// isShared reports whether at least two others have the fields of a type. One required field is what any reference looks like.
func (f *baseFinder) isShared(o *objectType) bool {
	if len(o.fields) == 1 && len(o.required) == 1 {
		return false
	}
	n := 0
	for _, other := range f.owners[f.rarestOf(o)] {
		if other != o && f.covers(other, o) {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// index files the types that may be bases of others whatever their names. Of several with the same fields, the first counts.
func (f *baseFinder) index() {
	seen := map[string]bool{}
	for _, o := range f.all {
		if len(o.fields) == 0 || f.given == nil && !o.mixin || f.given != nil && !f.given[o.name] {
			continue
		}
		if is := o.signature(); !seen[is] {
			seen[is] = true
			rarest := f.rarestOf(o)
			f.rarest[rarest] = append(f.rarest[rarest], o)
		}
	}
}

// signature is equal for types that have the same fields, of which the same are required.
func (o *objectType) signature() string {
	var all []string
	for k, number := range o.bare {
		all = append(all, strconv.Itoa(number)+map[bool]string{true: "!"}[o.required[o.fields[k].Name]])
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// basesFor finds the bases of a type.
func (f *baseFinder) basesFor(o *objectType) []*objectType {
	var found []*objectType
	for _, number := range o.bare {
		for _, b := range f.rarest[number] {
			same := f.given == nil && o.mixin && len(b.fields) == len(o.fields)
			if b != o && !same && f.covers(o, b) {
				found = append(found, b)
			}
		}
	}
	if f.given == nil {
		found = append(found, f.namesakes(o)...)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].order < found[j].order })
	return f.largest(slices.Compact(found))
}

// namesakes are the bases of a type with whose names its own begins or ends.
func (f *baseFinder) namesakes(o *objectType) []*objectType {
	var found []*objectType
	for k := 1; k < len(o.name); k++ {
		for _, name := range []string{o.name[:k], o.name[k:]} {
			if b := f.byName[name]; b != nil && len(b.fields) < len(o.fields) && f.covers(o, b) {
				found = append(found, b)
			}
		}
	}
	return found
}

// asFound is the bases that an overlay asks for, if the type has all their fields.
func (f *baseFinder) asFound(asked *yaml.Node, o *objectType) []*objectType {
	var bases []*objectType
	for _, name := range tree.Words(asked) {
		b := f.byName[name]
		if b == nil || b == o || !f.covers(o, b) {
			return nil
		}
		bases = append(bases, b)
	}
	return bases
}

// covers reports whether a type has all fields of another.
func (f *baseFinder) covers(o, b *objectType) bool {
	if len(b.fields) == 0 || len(b.fields) > len(o.fields) || !f.work.May(1+len(b.fields)/8) {
		return false
	}
	for k, number := range b.bare {
		name := b.fields[k].Name
		if !o.has[number] || b.required[name] && !o.required[name] {
			return false
		}
	}
	return true
}

// largest leaves out bases whose fields another base has.
func (f *baseFinder) largest(bases []*objectType) []*objectType {
	return ir.Where(bases, func(b *objectType) bool {
		return !slices.ContainsFunc(bases, func(other *objectType) bool {
			return other != b && (len(other.fields) > len(b.fields) || other.order < b.order) && f.covers(other, b)
		})
	})
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
