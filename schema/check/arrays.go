package check

import (
	"slices"
	"sort"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// byArray tells lists and tuples apart by, in this order: their lengths; the element at a place.
func (x *inference) byArray(all []leaf, depth int) (ir.Decision, *clash) {
	groups := byLengths(all)
	if len(groups) == 1 {
		return x.byElement(all, depth)
	}
	d := &ir.ByLength{}
	for _, g := range groups {
		then, failure := x.infer(g.leaves, anyWay, depth+1)
		if failure != nil {
			return nil, failure
		}
		d.Cases = append(d.Cases, ir.LengthCase{Min: g.low, Max: g.high, Then: then})
	}
	return d, nil
}

// lengths is a range of lengths, and the leaves whose arrays have some of them.
type lengths struct {
	low, high int // a negative high means no end
	leaves    []leaf
}

// byLengths groups leaves so that arrays of different groups have different lengths.
func byLengths(all []leaf) []lengths {
	ranges := make([]lengths, len(all))
	for i, l := range all {
		low, high := ir.Lengths(l.shape, rulesIn(l.shape))
		ranges[i] = lengths{low, high, []leaf{l}}
	}
	sort.SliceStable(ranges, func(i, j int) bool { return ranges[i].low < ranges[j].low })
	groups := ranges[:1]
	for _, r := range ranges[1:] {
		last := &groups[len(groups)-1]
		if last.high >= 0 && r.low > last.high {
			groups = append(groups, r)
			continue
		}
		last.leaves = append(last.leaves, r.leaves...)
		if r.high < 0 || last.high >= 0 && r.high > last.high {
			last.high = r.high
		}
	}
	return groups
}

// deepestElement is at how many places elements are looked at to tell arrays apart.
const deepestElement = 16

// byElement decides by the element at the first place that tells leaves apart. An array that ends before it must fit one branch only; an empty
// one, which fits each branch that takes it, is read as the first of them.
func (x *inference) byElement(all []leaf, depth int) (ir.Decision, *clash) {
	for i := range deepestElement {
		short := slices.DeleteFunc(slices.Clone(all), func(l leaf) bool { low, _ := ir.Lengths(l.shape, rulesIn(l.shape)); return low > i })
		if i > 0 && len(short) > 0 && sameBranch(short) == nil {
			break
		}
		inside := elementsAt(all, i)
		if len(inside) == 0 {
			break
		}
		decide := byValue(inside)
		if decide == nil {
			var failure *clash
			if decide, failure = x.inferInside(inside, depth); failure != nil {
				continue
			}
		}
		d := &ir.InElement{Index: i, Decide: decide}
		if len(short) > 0 {
			d.Absent = &ir.Pick{Branch: short[0].branch}
		}
		return d, nil
	}
	return nil, firstClash(all)
}

// elementsAt are the shapes of the elements at a place. Leaves whose arrays end before it have none.
func elementsAt(all []leaf, i int) (inside []leaf) {
	for _, l := range all {
		_, high := ir.Lengths(l.shape, rulesIn(l.shape))
		if t := ir.ElementAt(l.shape, i); t != nil && (high < 0 || high > i) {
			inside = leavesIn(inside, l.branch, t)
		}
	}
	return inside
}

// byValue decides by constants; nil if there are others than constants, or some are those of several branches.
func byValue(all []leaf) ir.Decision {
	d := &ir.ByValue{}
	branches := map[[2]string]*ir.Branch{}
	for _, l := range all {
		tags := tagsOf(l.shape)
		if tags == nil {
			return nil
		}
		for _, tag := range tags {
			key := [2]string{tag.Kind.String(), tag.Text}
			if first := branches[key]; first != nil && first != l.branch {
				return nil
			} else if first == nil {
				branches[key] = l.branch
				d.Cases = append(d.Cases, ir.Case{Tag: tag, Then: &ir.Pick{Branch: l.branch}})
			}
		}
	}
	return d
}
