package check

import (
	"slices"
	"sort"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// way limits what an inference may look at.
type way uint8

const (
	anyWay way = iota
	presenceOnly
	kindOnly
)

// clash is two leaves that cannot be told apart.
type clash struct{ a, b leaf }

// inference looks for a way to tell the branches of one union apart.
type inference struct {
	steps int      // how many groups of leaves were looked at so far
	known []string // properties of the object that is looked at whose value the decisions around have found
}

// mostChosen is how many groups of leaves are looked at to find the best decision. Then the first one is taken.
const mostChosen = 500

// deepest is how many layers a decision may have before leaves count as alike.
const deepest = 8

// infer tells leaves apart by, in this order: their JSON kind; for arrays, see byArray; for objects, see chooseObject, a property that is constant in all of
// them, or in some; the presence of required properties; the object in a property that all of them require. Each layer may leave groups, which the next
// layers decide.
func (x *inference) infer(all []leaf, way way, depth int) (ir.Decision, *clash) {
	if one := sameBranch(all); one != nil {
		return &ir.Pick{Branch: one}, nil
	}
	if x.steps++; depth > deepest {
		return nil, firstClash(all)
	}
	if allOf(all, ir.Array) && way == anyWay {
		return x.byArray(all, depth)
	}
	if !allOf(all, ir.Object) {
		return x.byKind(all, way, depth)
	}
	if way == kindOnly {
		return nil, firstClash(all)
	}
	return x.chooseObject(all, way, depth)
}

// inferInside tells leaves apart by a value inside of theirs. There an integer does not decide for a branch of integers while another branch
// takes all numbers: the rest of the value may fit the other only.
func (x *inference) inferInside(all []leaf, depth int) (ir.Decision, *clash) {
	for _, a := range all {
		for _, b := range all {
			one, other := ir.KindsOf(a.shape), ir.KindsOf(b.shape)
			if a.branch != b.branch && one.Has(ir.Integer) && !one.Has(ir.Number) && other.Has(ir.Number) {
				return nil, &clash{a, b}
			}
		}
	}
	known := x.known
	defer func() { x.known = known }()
	x.known = nil // of another object
	return x.infer(all, anyWay, depth+1)
}

func sameBranch(all []leaf) *ir.Branch {
	for _, l := range all {
		if l.branch != all[0].branch {
			return nil
		}
	}
	return all[0].branch
}

// firstClash names two leaves of different branches.
func firstClash(all []leaf) *clash {
	for _, l := range all {
		if l.branch != all[0].branch {
			return &clash{all[0], l}
		}
	}
	return &clash{all[0], all[0]}
}

// allOf reports whether leaves take values of one kind and no others.
func allOf(all []leaf, kind ir.Kind) bool {
	return !slices.ContainsFunc(all, func(l leaf) bool { return ir.KindsOf(l.shape) != ir.KindSet(kind) })
}

// byKind groups leaves by JSON kind. A branch for integers goes before one for all numbers.
func (x *inference) byKind(all []leaf, way way, depth int) (ir.Decision, *clash) {
	d := &ir.ByKind{}
	for kind := ir.Null; kind <= ir.Object; kind++ {
		group := ofKind(all, kind)
		if len(group) == 0 {
			continue
		}
		parted := kind == ir.Object || kind == ir.Array && way == anyWay && allOf(group, ir.Array)
		if !parted && sameBranch(group) == nil || len(group) == len(all) && kind == ir.Object && !allOf(group, ir.Object) {
			return nil, firstClash(group)
		}
		if !parted {
			group = group[:1]
		}
		then, failure := x.infer(group, way, depth+1)
		if failure != nil {
			return nil, failure
		}
		d.Cases = append(d.Cases, ir.KindCase{Kind: kind, Then: then})
	}
	return setRange(withoutRepeatedNumber(d)), nil
}

// ofKind returns the leaves that take a kind. For integers, a leaf that takes nothing but integers wins.
func ofKind(all []leaf, kind ir.Kind) []leaf {
	var group, whole []leaf
	for _, l := range all {
		k := ir.KindsOf(l.shape)
		if k.Has(kind) {
			group = append(group, l)
			if !k.Has(ir.Number) {
				whole = append(whole, l)
			}
		}
	}
	if kind == ir.Integer && len(whole) > 0 {
		return whole
	}
	return group
}

// setRange sets the range of integers where other numbers have a case of their own.
func setRange(d *ir.ByKind) *ir.ByKind {
	if !slices.ContainsFunc(d.Cases, func(c ir.KindCase) bool { return c.Kind == ir.Number }) {
		return d
	}
	for i := range d.Cases {
		one := &d.Cases[i]
		if pick, ok := one.Then.(*ir.Pick); ok && one.Kind == ir.Integer {
			one.Range, _ = ir.NonNull(pick.Branch.Type).(*ir.Int)
		}
	}
	return d
}

// withoutRepeatedNumber drops the case of integers where it says the same as that of numbers.
func withoutRepeatedNumber(d *ir.ByKind) *ir.ByKind {
	for i := 1; i < len(d.Cases); i++ {
		whole, number := d.Cases[i-1], d.Cases[i]
		if whole.Kind == ir.Integer && number.Kind == ir.Number && whole.Then.(*ir.Pick).Branch == number.Then.(*ir.Pick).Branch {
			d.Cases = slices.Delete(d.Cases, i-1, i)
			break
		}
	}
	return d
}

// tagGroup is the leaves that share a tag.
type tagGroup struct {
	tag    ir.Value
	leaves []leaf
}

// tagProperty groups leaves by the constant values of a property. It is nil unless every leaf fixes the property, and all
// but one tag's leaves require it; that one is assumed when the property is missing.
func tagProperty(all []leaf, property string) (groups []tagGroup, absent *ir.Value) {
	index := tagIndex{}
	for _, l := range all {
		s, ok := l.shape.(*ir.Struct)
		if !ok {
			return nil, nil
		}
		f := s.Field(property)
		if f == nil {
			return nil, nil
		}
		tags := tagsOf(f.Type)
		if tags == nil {
			return nil, nil
		}
		if f.Optional {
			if absent != nil && absent.Text != tags[0].Text {
				return nil, nil
			}
			absent = &tags[0]
		}
		for _, tag := range tags {
			groups = index.add(groups, tag, l)
		}
	}
	return groups, absent
}

// tagIndex says where the groups of tags are in a list.
type tagIndex map[tagKey]int

type tagKey struct {
	kind ir.Kind
	text string
}

// add adds a leaf to the group of a tag, which it makes if there is none.
func (x tagIndex) add(groups []tagGroup, tag ir.Value, l leaf) []tagGroup {
	key := tagKey{tag.Kind, tag.Text}
	if i, known := x[key]; known {
		groups[i].leaves = append(groups[i].leaves, l)
		return groups
	}
	x[key] = len(groups)
	return append(groups, tagGroup{tag, []leaf{l}})
}

// tagsOf returns the values of a constant or a closed enum.
func tagsOf(t ir.Type) []ir.Value {
	switch t := ir.Underlying(t).(type) {
	case *ir.Literal:
		if t.Value.Kind == ir.Text || t.Value.Kind == ir.Integer || t.Value.Kind == ir.Boolean {
			return []ir.Value{t.Value}
		}
	case *ir.Enum:
		if t.Open {
			return nil
		}
		return ir.Each(t.Values, func(v ir.EnumValue) ir.Value { return v.Value })
	}
	return nil
}

// constProperties are the properties that every leaf fixes, those first that tell more leaves apart.
func constProperties(all []leaf) []string {
	s, ok := all[0].shape.(*ir.Struct)
	if !ok {
		return nil
	}
	var found []string
	counts := map[string]int{}
	for _, f := range s.Fields {
		if tagsOf(f.Type) == nil {
			continue
		}
		if groups, _ := tagProperty(all, f.Name); len(groups) > 1 && slices.ContainsFunc(groups, func(g tagGroup) bool { return len(g.leaves) < len(all) }) {
			found = append(found, f.Name)
			counts[f.Name] = len(groups)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return counts[found[i]] > counts[found[j]] })
	return found
}

// byTags decides by the values of one property, and among leaves of one value by what else they have.
func (x *inference) byTags(all []leaf, property string, depth int) (ir.Decision, *clash) {
	known := x.known
	defer func() { x.known = known }()
	x.known = append(slices.Clip(known), property)
	groups, absent := tagProperty(all, property)
	d := &ir.ByProperty{Property: property}
	for _, g := range groups {
		then, failure := x.infer(g.leaves, anyWay, depth+1)
		if failure != nil {
			return nil, failure
		}
		d.Cases = append(d.Cases, ir.Case{Tag: g.tag, Then: then})
		if absent != nil && absent.Text == g.tag.Text {
			d.Absent = then
		}
	}
	return d, nil
}

// byInner decides by the object in a property that every leaf requires.
func (x *inference) byInner(all []leaf, depth int) ir.Decision {
	s, ok := all[0].shape.(*ir.Struct)
	if !ok {
		return nil
	}
	for _, f := range s.Fields {
		inside, missing := within(all, f.Name)
		if missing != nil {
			continue
		}
		if d, failure := x.inferInside(inside, depth); failure == nil {
			return &ir.InProperty{Property: f.Name, Decide: d}
		}
	}
	return nil
}
