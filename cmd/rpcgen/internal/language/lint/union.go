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
	p.visitAll(func(at place) {
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
func picks(d ir.Decision) (all []*ir.Branch) {
	ir.WithPicks(d, func(b *ir.Branch) *ir.Branch { all = append(all, b); return b })
	return all
}

func hasField(t ir.Type, name string) bool {
	s, ok := ir.Underlying(t).(*ir.Struct)
	return ok && s.Field(name) != nil
}
