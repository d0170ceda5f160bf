package templates

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// findTags finds the tags that the branches of u, and the branches of its branches, leave to their unions.
func (n *names) findTags(u *ir.Union, found map[*namedType][]tag, within []*ir.Union) {
	if slices.Contains(within, u) {
		return
	}
	if by, ok := u.Decide.(*ir.ByProperty); ok && by.Else == nil { // else the branches that do not declare the property need no tag
		for _, c := range by.Cases {
			if pick, ok := c.Then.(*ir.Pick); ok {
				n.leftToUnion(pick.Branch, tag{by.Property, jsonString(by.Property) + ":" + jsonText(c.Tag)}, found)
			}
		}
	}
	for _, b := range u.Branches {
		if inner, ok := ir.Underlying(b.Type).(*ir.Union); ok && n.branchType(b).kind() == kindUnion {
			n.findTags(inner, found, append(within, u))
		}
	}
}

// leftToUnion notes the tag of a branch, or of what is below it, unless it is declared there. A union of another package writes its own tags.
func (n *names) leftToUnion(b *ir.Branch, t tag, found map[*namedType][]tag) {
	own, shape := n.branchType(b), ir.Underlying(b.Type)
	if u, ok := shape.(*ir.Union); ok && own.kind() == kindUnion {
		for _, inner := range u.Branches {
			n.leftToUnion(inner, t, found)
		}
		return
	}
	s := ir.AsStruct(shape)
	declared := s != nil && (s.Field(t.property) != nil || s.Additional == ir.AdditionalRejected)
	if !declared && !slices.ContainsFunc(found[own], func(other tag) bool { return other.property == t.property }) {
		found[own] = append(found[own], t)
	}
}

// ownTags are the tags that a branch leaves to its unions. It reports false if they do not all write the same ones.
func (t *namedType) ownTags() (own []tag, alike bool) {
	for i, u := range t.branchOf {
		if i > 0 && !slices.Equal(u.left[t], own) {
			return nil, false
		}
		own = u.left[t]
	}
	return own, true
}
