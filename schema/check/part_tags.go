package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// mostParts is how many properties are tried that some leaves fix and others do not.
const mostParts = 4

// partProperties are the properties that some leaves fix and others do not. Those of one, which nothing but leaves of one branch have, are as
// good as the presence of any other property of theirs.
func partProperties(all []leaf) (several, one []string) {
	seen := map[string]bool{}
	for _, l := range all {
		for _, f := range fieldsOfLeaf(l) {
			if seen[f.Name] || tagsOf(f.Type) == nil {
				continue
			}
			seen[f.Name] = true
			switch p := partsBy(all, f.Name, false); {
			case len(p.other)+len(p.missing) == 0:
			case (p.severalBranches() || allHave(p.other, f.Name)) && len(several) < mostParts:
				several = append(several, f.Name)
			case len(one) < mostParts:
				one = append(one, f.Name)
			}
		}
	}
	return several, one
}

// tagParts are leaves by what they say of a property.
type tagParts struct {
	groups  []tagGroup
	missing []leaf // those that values without it may fit
	other   []leaf // those that do not fix it, and that other values may fit
}

// partsBy groups leaves by the values of a property. With each, a leaf that does not fix it belongs to the group of every value that it takes.
func partsBy(all []leaf, property string, each bool) (p tagParts) {
	index := tagIndex{}
	var free []leaf
	for _, l := range all {
		s, ok := l.shape.(*ir.Struct)
		if !ok {
			return tagParts{}
		}
		f := s.Field(property)
		if f == nil || f.Optional {
			p.missing = append(p.missing, l)
		}
		if f != nil {
			if tags := tagsOf(f.Type); tags != nil {
				for _, tag := range tags {
					p.groups = index.add(p.groups, tag, l)
				}
				continue
			}
		}
		if f != nil || s.Additional != ir.AdditionalRejected {
			free = append(free, l)
		}
	}
	p.other = free
	for i := range p.groups {
		for _, l := range free {
			if each && mayHave(l, property, p.groups[i].tag) {
				p.groups[i].leaves = append(p.groups[i].leaves, l)
			}
		}
	}
	return p
}

// severalBranches reports whether the leaves that fix the property are of several branches.
func (p tagParts) severalBranches() bool {
	first := p.groups[0].leaves[0].branch
	return slices.ContainsFunc(p.groups, func(g tagGroup) bool {
		return slices.ContainsFunc(g.leaves, func(l leaf) bool { return l.branch != first })
	})
}

// allHave reports whether some leaves have a property.
func allHave(all []leaf, property string) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(l leaf) bool { return !has(l, property) })
}

// unparted reports whether some group is the whole.
func (p tagParts) unparted(whole int) bool {
	return len(p.missing) == whole || len(p.other) == whole || slices.ContainsFunc(p.groups, func(g tagGroup) bool { return len(g.leaves) == whole })
}

// mayHave reports whether a leaf that does not fix a property may have a value there.
func mayHave(l leaf, property string, v ir.Value) bool {
	s := l.shape.(*ir.Struct)
	switch f := s.Field(property); {
	case f != nil:
		return len(judge.Judge(f.Type, v)) == 0
	case s.Extra != nil:
		return len(judge.Judge(s.Extra, v)) == 0
	}
	return s.Additional != ir.AdditionalRejected
}

// byEachTag decides by a property that some leaves fix, and further among those that may have a value, if that leads each value right.
func (x *inference) byEachTag(all []leaf, property string, depth int) (ir.Decision, *clash) {
	d, failure := x.byParts(all, partsBy(all, property, true), property, depth)
	if failure == nil && !leadsRight(d, all) {
		return nil, nil
	}
	return d, failure
}

// byFirstTag decides by a property that some leaves fix: the others are for what is left, although they may have the same values.
func (x *inference) byFirstTag(all []leaf, property string, depth int) (ir.Decision, *clash) {
	return x.byParts(all, partsBy(all, property, false), property, depth)
}

func (x *inference) byParts(all []leaf, p tagParts, property string, depth int) (ir.Decision, *clash) {
	if x.steps > mostChosen || p.unparted(len(all)) {
		return nil, firstClash(all)
	}
	d := &ir.ByProperty{Property: property}
	for _, g := range p.groups {
		then, failure := x.infer(g.leaves, anyWay, depth+1)
		if failure != nil {
			return nil, failure
		}
		d.Cases = append(d.Cases, ir.Case{Tag: g.tag, Then: then})
	}
	var failure *clash
	if d.Absent, failure = x.decideRest(p.missing, depth); failure != nil {
		return nil, failure
	}
	if d.Else = d.Absent; slices.Equal(p.missing, p.other) {
		return d, nil
	}
	if d.Else, failure = x.decideRest(p.other, depth); failure != nil {
		return nil, failure
	}
	return d, nil
}

// decideRest decides among the leaves that no value of a property is of; there may be none.
func (x *inference) decideRest(rest []leaf, depth int) (ir.Decision, *clash) {
	if len(rest) == 0 {
		return nil, nil
	}
	return x.infer(rest, anyWay, depth+1)
}
