package check

import "github.com/rpcgen-go/rpcgen/schema/ir"

// rebase copies a type of an imported file for use in this one: what was a name of that file is a name of the import.
func rebase(t ir.Type, from *ir.Import) ir.Type {
	switch t := t.(type) {
	case *ir.Ref:
		moved := *t
		if moved.Import == nil {
			moved.Import = from
		}
		return &moved
	case *ir.Union:
		return rebaseUnion(t, from)
	}
	return ir.WithParts(t, func(part ir.Type) ir.Type { return rebase(part, from) })
}

// rebaseUnion copies the decision too, because it points to the branches.
func rebaseUnion(u *ir.Union, from *ir.Import) *ir.Union {
	moved := *u
	moved.Branches = nil
	branches := map[*ir.Branch]*ir.Branch{}
	for _, b := range u.Branches {
		branch := *b
		branch.Type = rebase(b.Type, from)
		branches[b] = &branch
		moved.Branches = append(moved.Branches, &branch)
	}
	moved.Decide = rebaseDecision(u.Decide, branches)
	return &moved
}

func rebaseDecision(d ir.Decision, branches map[*ir.Branch]*ir.Branch) ir.Decision {
	switch d := d.(type) {
	case *ir.Pick:
		return &ir.Pick{Branch: branches[d.Branch]}
	case *ir.ByProperty:
		moved := &ir.ByProperty{Property: d.Property, Absent: rebaseDecision(d.Absent, branches)}
		for _, one := range d.Cases {
			moved.Cases = append(moved.Cases, ir.Case{Tag: one.Tag, Then: rebaseDecision(one.Then, branches)})
		}
		return moved
	case *ir.ByPresence:
		moved := &ir.ByPresence{Else: rebaseDecision(d.Else, branches)}
		for _, one := range d.Cases {
			moved.Cases = append(moved.Cases, ir.PresenceCase{Property: one.Property, Then: rebaseDecision(one.Then, branches)})
		}
		return moved
	case *ir.ByKind:
		moved := &ir.ByKind{}
		for _, one := range d.Cases {
			moved.Cases = append(moved.Cases, ir.KindCase{Kind: one.Kind, Then: rebaseDecision(one.Then, branches), Range: one.Range})
		}
		return moved
	case *ir.ByLength:
		moved := &ir.ByLength{}
		for _, one := range d.Cases {
			moved.Cases = append(moved.Cases, ir.LengthCase{Min: one.Min, Max: one.Max, Then: rebaseDecision(one.Then, branches)})
		}
		return moved
	case *ir.ByValue:
		moved := &ir.ByValue{}
		for _, one := range d.Cases {
			moved.Cases = append(moved.Cases, ir.Case{Tag: one.Tag, Then: rebaseDecision(one.Then, branches)})
		}
		return moved
	case *ir.InElement:
		return &ir.InElement{Index: d.Index, Decide: rebaseDecision(d.Decide, branches), Absent: rebaseDecision(d.Absent, branches)}
	case *ir.InProperty:
		return &ir.InProperty{Property: d.Property, Decide: rebaseDecision(d.Decide, branches), Absent: rebaseDecision(d.Absent, branches)}
	}
	return d
}
