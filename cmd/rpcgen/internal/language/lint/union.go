package lint

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// PresenceOverlap is a property by which a branch is known, and which another branch has as well.
const PresenceOverlap diag.Code = "PresenceOverlap"

func (p *pass) presenceOverlap() {
	p.everything(func(at place) {
		if d, ok := ir.DecisionOf(at.t).(*ir.ByPresence); ok {
			p.overlaps(at, d)
		}
	})
}

func (p *pass) overlaps(at place, d *ir.ByPresence) {
	var earlier []*ir.Branch
	for _, c := range d.Cases {
		picked := picks(c.Then)
		earlier = append(earlier, picked...)
		for _, b := range ir.Branches(at.t) {
			if !slices.Contains(earlier, b) && hasField(b.Type, c.Property) {
				p.report(at.path, at.span, "list that branch first, or rename the property",
					fmt.Sprintf("a value with %q is taken for %s, although %s may have it too", c.Property, picked[0].Name, b.Name))
			}
		}
	}
}

// picks lists the branches that a decision may end with.
func picks(d ir.Decision) []*ir.Branch {
	var all []*ir.Branch
	switch d := d.(type) {
	case *ir.Pick:
		return []*ir.Branch{d.Branch}
	case *ir.ByProperty:
		for _, c := range d.Cases {
			all = append(all, picks(c.Then)...)
		}
		all = append(all, picks(d.Absent)...)
		all = append(all, picks(d.Else)...)
	case *ir.ByPresence:
		for _, c := range d.Cases {
			all = append(all, picks(c.Then)...)
		}
		all = append(all, picks(d.Else)...)
	case *ir.ByKind:
		for _, c := range d.Cases {
			all = append(all, picks(c.Then)...)
		}
	case *ir.ByLength:
		for _, c := range d.Cases {
			all = append(all, picks(c.Then)...)
		}
	case *ir.ByValue:
		for _, c := range d.Cases {
			all = append(all, picks(c.Then)...)
		}
	case *ir.InElement:
		all = append(picks(d.Decide), picks(d.Absent)...)
	case *ir.InProperty:
		all = append(picks(d.Decide), picks(d.Absent)...)
	}
	return all
}

func hasField(t ir.Type, name string) bool {
	s, ok := ir.Underlying(t).(*ir.Struct)
	return ok && s.Field(name) != nil
}
