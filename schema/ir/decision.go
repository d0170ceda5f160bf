package ir

// WithPicks returns a decision that ends with other branches in the places of its own, in the order in which they are tried.
func WithPicks(d Decision, other func(*Branch) *Branch) Decision {
	inner := func(d Decision) Decision { return WithPicks(d, other) }
	switch d := d.(type) {
	case *Pick:
		return &Pick{other(d.Branch)}
	case *ByProperty:
		made := &ByProperty{Property: d.Property, Cases: Each(d.Cases, func(c Case) Case { return Case{c.Tag, inner(c.Then)} }), Absent: inner(d.Absent)}
		if made.Else = made.Absent; d.Else != d.Absent {
			made.Else = inner(d.Else)
		}
		return made
	case *ByPresence:
		return &ByPresence{Each(d.Cases, func(c PresenceCase) PresenceCase { return PresenceCase{c.Property, inner(c.Then)} }), inner(d.Else)}
	case *ByKind:
		return &ByKind{Each(d.Cases, func(c KindCase) KindCase { return KindCase{c.Kind, inner(c.Then), c.Range} })}
	case *ByLength:
		return &ByLength{Each(d.Cases, func(c LengthCase) LengthCase { return LengthCase{c.Min, c.Max, inner(c.Then)} })}
	case *ByValue:
		return &ByValue{Each(d.Cases, func(c Case) Case { return Case{c.Tag, inner(c.Then)} })}
	case *InElement:
		return &InElement{d.Index, inner(d.Decide), inner(d.Absent)}
	case *InProperty:
		return &InProperty{d.Property, inner(d.Decide), inner(d.Absent)}
	}
	return d
}
