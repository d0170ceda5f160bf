package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// byPresence takes leaves away one by one: each time the first, in the author's order, that requires a property which no
// other remaining leaf has. What cannot be taken away alone is taken away as the smallest group that requires such a
// property. The last one left needs no property, and is taken by its own if it has one.
func (x *inference) byPresence(all []leaf, way way, depth int) (ir.Decision, *clash) {
	d := &ir.ByPresence{}
	rest := all
	for len(rest) > 0 && (sameBranch(rest) == nil || len(d.Cases) == 0) {
		property, group := distinct(rest)
		if group == nil {
			return nil, firstClash(rest)
		}
		then, failure := x.infer(group, way, depth+1)
		if failure != nil {
			return nil, failure
		}
		d.Cases = append(d.Cases, ir.PresenceCase{Property: property, Then: then})
		rest = without(rest, group)
	}
	if len(rest) == 0 {
		return d, nil
	}
	last := &ir.Pick{Branch: rest[0].branch}
	if property := ownProperty(rest, all); property != "" {
		d.Cases = append(d.Cases, ir.PresenceCase{Property: property, Then: last})
	} else {
		d.Else = last
	}
	return d, nil
}

// distinct finds the property that the fewest of the leaves require and the others do not have, and those that require it.
func distinct(rest []leaf) (property string, group []leaf) {
	with, required := map[string]int{}, map[string]int{}
	for _, l := range rest {
		for _, f := range fieldsOfLeaf(l) {
			with[f.Name]++
			if !f.Optional {
				required[f.Name]++
			}
		}
	}
	fewest := len(rest)
	for _, l := range rest {
		for _, f := range fieldsOfLeaf(l) {
			if n := required[f.Name]; n > 0 && n == with[f.Name] && n < fewest {
				property, fewest = f.Name, n
			}
		}
	}
	if property == "" {
		return optionalDistinct(rest)
	}
	return property, ir.Where(rest, func(l leaf) bool { return requires(l, property) })
}

// optionalDistinct tells two leaves apart of which one is the other and more: {enum, enumNames?} and {enum}. A value without what is more is the lesser one.
func optionalDistinct(rest []leaf) (property string, group []leaf) {
	if len(rest) != 2 {
		return "", nil
	}
	for i, l := range rest {
		other := rest[1-i]
		lacks := func(f *ir.Field) bool { return !has(l, f.Name) || !f.Optional && !requires(l, f.Name) }
		own := ir.First(fieldsOfLeaf(l), func(f *ir.Field) bool { return f.Optional && !has(other, f.Name) })
		if own != nil && !slices.ContainsFunc(fieldsOfLeaf(other), lacks) {
			return own.Name, []leaf{l}
		}
	}
	return "", nil
}

// ownProperty is a property that the last leaf requires and no leaf of another branch has.
func ownProperty(last, all []leaf) string {
	if len(last) != 1 {
		return ""
	}
	for _, f := range fieldsOfLeaf(last[0]) {
		if !f.Optional && !slices.ContainsFunc(without(all, last), func(l leaf) bool { return has(l, f.Name) }) {
			return f.Name
		}
	}
	return ""
}

func fieldsOfLeaf(l leaf) []*ir.Field {
	if s, ok := l.shape.(*ir.Struct); ok {
		return s.Fields
	}
	return nil
}

func has(l leaf, name string) bool {
	return slices.ContainsFunc(fieldsOfLeaf(l), func(f *ir.Field) bool { return f.Name == name })
}

func requires(l leaf, name string) bool {
	return slices.ContainsFunc(fieldsOfLeaf(l), func(f *ir.Field) bool { return f.Name == name && !f.Optional })
}

func without(all, some []leaf) []leaf {
	return slices.DeleteFunc(slices.Clone(all), func(l leaf) bool { return slices.Contains(some, l) })
}
