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
	moved.Decide = ir.WithPicks(u.Decide, func(b *ir.Branch) *ir.Branch { return branches[b] })
	return &moved
}
